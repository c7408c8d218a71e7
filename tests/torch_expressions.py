"""Expressions on tensors, by area: what PyTorch makes of each is recorded in ``torch_answers.json``.

In them stand ``x`` and ``z`` (3, 4), ``p`` (3, 4) positive, ``v`` (4), ``w`` (3), ``a`` (4, 4), ``q`` (2, 3, 4), ``s`` without axes,
``k`` (3, 4) with ties and zeros; they require gradients. ``i`` holds integers, ``b`` flags, ``n`` indices (5), ``j`` indices (3, 4).
Further ``d`` (3, 4) and ``sd`` without axes in double precision, ``e`` (0) and ``e2`` (0, 4) empty, ``nc`` (4, 3, 2) in another order in
memory, ``one`` (1), which require gradients; ``i8``, ``i16``, ``i32``, ``u8`` hold other integers, ``ni`` negative ones, ``si`` one, ``sb``
a flag.
"""
from __future__ import annotations

EXPRESSIONS = {
    "arithmetic": """
        x + z; x + 1; 1 + x; x - z; x - 2; 2 - x; x * z; x * 2; 2 * x; x / p; x / 2; 2 / p; -x; +x; x ** 2; x ** 3; p ** 0.5
        p ** p; 2 ** x; x ** 1; p ** -1; x % 0.7; x % p; x // 0.5; torch.fmod(x, 0.7); torch.remainder(x, p)
        x + v; v * x; w[:, None] * x; x * s; s * s; s + 1; q * x; x - q; x / q; s ** 2; x.add(z); x.add(z, alpha=2); x.sub(z, alpha=3)
        x.mul(2); x.div(p); x.pow(2); x.pow(v + 5); torch.add(x, 1); torch.sub(x, z); torch.mul(x, z); torch.div(x, p)
        torch.pow(p, 2.5); torch.pow(2, x); torch.true_divide(x, 2); x.div(p, rounding_mode='floor')
        x.div(p, rounding_mode='trunc'); torch.square(x); x.neg(); torch.negative(x); torch.multiply(x, x); abs(x)
        x + i; x * i; i * 2.5; i / 2; i + 1; i // 2; i % 2; i ** 2; i * i; 1 / (i + 1); x * True; x + b; i + b; b + b; b * 1.5
        k ** 0.5; k ** 2; 0 ** k; k ** k; k / k; k * k; p ** 2 * 3 + 1; (x * 2 + 1) * x; ((x * 3) / (x - 5)); x * x * x * x
        torch.rsub(x, 2); x.float_power(2) if hasattr(x, 'float_power') else x.double() ** 2
    """,
    "comparisons": """
        x < z; x <= 0; x > z; x >= 1; x == x; x != 0; x < i; i == 2; torch.eq(i, i); torch.lt(x, z); x.gt(0); x.ge(z); x.le(0.5); x.ne(z)
        torch.equal(x, x); torch.allclose(x, x + 1e-9); b & (x > 0); b | b; b ^ b; ~b; torch.logical_and(b, x > 0)
        torch.logical_not(b); torch.isnan(x / x); torch.isinf(1 / (k * 0)); torch.isfinite(x); i & 1; 0 < x; 1 == i
        x.argmax(); x.argmax(0); x.argmin(1); x.argmax(1, keepdim=True); (x > 0).all(); (x > 0).any(0); (x > 0).sum(); (x > 0).count_nonzero()
    """,
    "elementwise": """
        x.exp(); x.exp2(); x.expm1(); p.log(); p.log2(); p.log10(); p.log1p(); p.sqrt(); p.rsqrt(); p.reciprocal(); x.sin(); x.cos()
        x.tan(); (x / 3).asin(); (x / 3).acos(); x.atan(); x.sinh(); x.cosh(); x.tanh(); x.asinh(); (p + 1).acosh(); (x / 3).atanh()
        x.abs(); x.sign(); x.floor(); x.ceil(); x.trunc(); x.round(); x.round(decimals=1); x.frac(); x.relu(); x.sigmoid(); x.square()
        x.deg2rad(); x.rad2deg(); x.sinc(); torch.exp(x); torch.log(p); torch.tanh(x); torch.relu(x); torch.sigmoid(x); torch.sqrt(p)
        i.exp(); i.sqrt(); i.sin(); i.abs(); i.neg(); torch.sigmoid(i); i.relu(); k.abs(); k.relu(); k.sqrt(); k.sign(); k.log()
        x.clamp(0, 1); x.clamp(min=0); x.clamp(max=0.5); k.clamp(0, 1); k.clamp(min=0); x.clamp_min(0.1); x.clamp_max(0.1); i.clamp(1, 2)
        x.clamp(min=z); k.clamp(k, k + 1); x.clamp(z, z + 1); torch.clamp(x, -0.5, 0.5); torch.clip(x, 0, 1)
        torch.maximum(x, z); torch.minimum(x, z); torch.maximum(k, k); torch.fmax(x, z); torch.fmin(k, k); torch.hypot(x, z)
        torch.atan2(x, z); torch.logaddexp(x, z); torch.max(x, z); torch.min(k, k); torch.where(x > 0, x, z); torch.where(b, x, 0.0)
        torch.where(b, 1.0, x); x.where(x > 0, z); torch.where(k > 0, k.sqrt(), k); x.masked_fill(b, 2.5); x.masked_fill(x > 0, s)
        s.exp(); s.tanh(); s.relu(); s.clamp(0, 1); (-x).relu() * x; x.tanh().exp(); (x.sin() ** 2 + x.cos() ** 2); x.exp().log()
    """,
    "reductions": """
        x.sum(); x.sum(0); x.sum(1); x.sum(-1); x.sum((0, 1)); x.sum(0, keepdim=True); x.sum(dim=1, keepdim=True); q.sum((0, 2)); q.sum(1)
        x.sum(dtype=torch.float64); i.sum(); b.sum(); i.sum(0); s.sum(); x.sum(()); x.sum([0]); torch.sum(x); torch.sum(x, 1); x.mean(); x.mean(0)
        x.mean(1, keepdim=True); q.mean((0, 1)); torch.mean(x); s.mean(); x.prod(); x.prod(0); x.prod(1, keepdim=True); k.prod(); k.prod(1); i.prod()
        x.std(); x.std(0); x.std(1, keepdim=True); x.std(unbiased=False); x.std(0, unbiased=False); x.var(); x.var(0); x.var(1, correction=0); q.var((0, 1))
        (k * 0).std(); torch.std(x); torch.var(x, 0); x.max(); x.min(); k.max(); k.min(); x.max(0); x.max(1, keepdim=True); x.min(0); k.max(1); k.min(0)
        x.max(0).values; x.max(1)[1]; torch.max(x, 0); torch.max(x); x.amax(); x.amax(0); k.amax(1); x.amin((0, 1)); k.amax(); x.amin(1, keepdim=True)
        x.norm(); x.norm(dim=0); x.norm(p=1); x.norm(p=3); x.norm(p=float('inf')); x.norm(2, 1, True); torch.norm(x); (k * 0).norm(); k.norm(dim=1); x.norm(p=1, dim=0)
        x.cumsum(0); x.cumsum(1); x.cumprod(0); k.cumprod(1); v.cumsum(-1); i.cumsum(0); x.softmax(0); x.softmax(-1); x.log_softmax(1); torch.softmax(v, 0)
        x.logsumexp(0); x.logsumexp(1, keepdim=True); x.logsumexp((0, 1)); x.nansum(); s.softmax(0); s.max(); s.norm(); s.std(unbiased=False); s.sum(0)
        torch.log_softmax(x, 0); x.max(-1); x.sum(axis=0); x.mean(axis=1, keepdim=True); x.max(axis=0); torch.std(x, axis=0); i.max(); i.max(0); x.mean(()); x.mean(dtype=torch.float64); i.mean(dtype=torch.float32); x.amax((0, 1), keepdim=True)
    """,
    "products": """
        x @ z.T; x @ v; v @ v; w @ x; v @ a; x.mm(a); x.mv(v); v.dot(v); q @ a; q @ v; a @ q.mT; w @ q; q.matmul(q.mT); q.bmm(q.transpose(1, 2)); v @ q.mT
        torch.matmul(x, a); torch.mm(x, a); torch.mv(x, v); torch.dot(v, v); torch.outer(v, w); torch.inner(v, v); torch.inner(x, z); torch.bmm(q, q.mT)
        torch.einsum('ij,j->i', x, v); torch.einsum('ij,ij->', x, z); torch.einsum('ij,kj->ik', x, z); torch.einsum('bij,jk->bik', q, a); torch.einsum('i,j', v, w)
        torch.einsum('ii->i', a); torch.einsum('ij->ji', x); torch.einsum('ij->', x); torch.tensordot(x, z, 2); torch.tensordot(q, a, 1); torch.tensordot(x, z, ([0], [0])); torch.addmm(v, x, a)
        i @ i.T; (x @ v) @ w; v @ (a @ v); v @ a @ v; torch.addmm(v, x, a, beta=2, alpha=3)
    """,
    "linear algebra": """
        torch.linalg.inv(a); a.inverse(); torch.linalg.det(a); a.det(); torch.linalg.slogdet(a); torch.linalg.solve(a, v); torch.linalg.solve(a, x.T); a.slogdet()[1]
        torch.linalg.cholesky(a @ a.T + torch.eye(4)); torch.linalg.eigvalsh(a + a.T); torch.linalg.eigh(a + a.T).eigenvalues; torch.linalg.norm(x); torch.linalg.norm(x, dim=1)
        torch.linalg.svd(x, full_matrices=False).S; torch.linalg.qr(a @ a.T + torch.eye(4)).R.abs(); torch.linalg.vector_norm(x, 3); torch.inverse(a); torch.linalg.inv(x); torch.linalg.matmul(x, a); torch.det(a)
    """,
    "moves": """
        x.tril(); x.triu(1); torch.tril(a, -1); a.trace(); torch.trace(a); v.diag(); a.diag(); a.diag(1); v.diag(1); x.repeat(2, 1); v.repeat(2, 3); x.tile(2); torch.tile(x, (2, 1)); x.repeat_interleave(2, 0)
        x.repeat_interleave(2); x.diff(); x.diff(dim=0); x.diff(2); torch.meshgrid(v, w, indexing='ij')[0]; torch.meshgrid(v, w, indexing='xy')[1]; torch.lerp(x, z, 0.3); x.lerp(z, p); x.addcmul(x, z); x.addcmul(x, z, value=2)
        x.addcdiv(z, p, value=0.5); x.median(); x.median(0); x.median(1, keepdim=True); x.isclose(x); torch.kron(v, w); x.dist(z); torch.dist(x, z, 1); torch.kron(x, a)
    """,
    "shapes": """
        x.view(12); x.view(2, 6); x.view(-1); x.view((4, 3)); x.reshape(12); x.reshape(2, -1); x.T.reshape(12); x.reshape((6, 2)); x.flatten(); q.flatten(1); q.flatten(0, 1)
        x.T; x.t(); v.t(); x.mT; x.transpose(0, 1); q.transpose(0, -1); q.permute(2, 0, 1); q.permute((1, 0, 2)); q.movedim(0, -1); q.swapaxes(0, 1)
        x.unsqueeze(0); x.unsqueeze(-1); x[:, None].squeeze(); x[:, None].squeeze(1); x.squeeze(0); x.sum(0, keepdim=True).squeeze(0); s.unsqueeze(0); x[None].squeeze((0, 1))
        v.expand(3, 4); v.expand(3, -1); w[:, None].expand(3, 4); v.expand_as(x); torch.broadcast_to(v, (2, 4)); s.expand(3); x.unflatten(1, (2, 2)); x.view_as(z); x.reshape_as(a[:3])
        x.clone(); x.contiguous(); x.T.contiguous(); x.double(); x.to(torch.float64); x.float(); x.to(torch.int64); x.long(); x.int(); x.bool(); i.float(); x.type(torch.float64)
        x.sum_to_size(1, 4); x.sum_to_size(3, 1); q.sum_to_size(4); x.diagonal(); a.diagonal(1); x.ravel(); torch.flatten(q, 1); torch.reshape(x, (12,)); torch.transpose(x, 0, 1); torch.squeeze(x)
        torch.unsqueeze(x, 1); torch.permute(q, (2, 1, 0)); x.type_as(x.double()); x.view(3, 2, 2).permute(2, 0, 1).reshape(-1); x.flip(0); x.flip((0, 1)); x.roll(1); x.roll(1, 0); x.roll((1, 2), (0, 1))
        torch.flip(x, [1]); x.T.reshape(2, 6) * 2; x.reshape(shape=(4, 3)); torch.swapaxes(x, 0, 1); torch.broadcast_tensors(v, x)[0]; torch.detach(x); torch.is_floating_point(x); x.size(); x.size(0); x.shape; x.dim(); x.ndim; x.numel(); len(x); x.stride(); x.T.stride(); x.is_contiguous(); x.T.is_contiguous(); x.dtype; x.type(); x.is_floating_point()
    """,
    "indexing": """
        x[0]; x[-1]; x[0, 1]; x[:, 1]; x[1:]; x[:2, 1:]; x[::2]; x[None]; x[..., 0]; x[0, ...]; x[:, None, 1]; x[...]; x[1:, None]; q[0, :, 1]; q[..., 1:]; x[:]; q[:, 0]; s[...]; s[None]
        x[[0, 2]]; x[n % 3]; x[n % 3, n % 4]; x[:, n % 4]; x[x > 0]; x[b]; x[b[:, 0]]; x[[0, 0, 1]]; x[torch.tensor(1)]; x[0][1]; x[1:][0]; q[:, [0, 1]]; q[[0, 1], [1, 2]]; x[torch.tensor([[0, 1], [2, 0]])]
        x[True]; q[0, [0, 1], 1:]; list(x)[1]; x.unbind(1)[2]; x.unbind()[0]; torch.unbind(x)[1]; [r.sum() for r in x][0]; x.select(0, 1); x.narrow(1, 1, 2); torch.select(x, 1, 0); i[0]; i[b]
        x.index_select(0, n % 3); x.index_select(1, n % 4); x.gather(0, j); x.gather(1, j); x.take(n); torch.gather(x, 1, j); torch.take(x, n); x.masked_select(b); torch.masked_select(x, x > 0)
        x.scatter(0, j, z); x.scatter_add(0, j, z); x.scatter(1, j[:, :2] * 1 + torch.tensor([0, 1]), 2.5); x.index_add(0, n[:2] % 3, z[:2]); x.index_copy(0, torch.tensor([2, 0]), z[:2]); x.index_fill(0, torch.tensor([1]), 1.5)
        x.index_put((torch.tensor([0, 1]), torch.tensor([1, 2])), v[:2]); x.index_put((torch.tensor([0, 0]),), z[:2], accumulate=True)
        x.sort(); x.sort(0); x.sort(descending=True); x.argsort(1); x.topk(2); x.topk(2, 0, largest=False); v.sort(); torch.sort(x, 1).values; torch.topk(v, 2); (x > 0).nonzero(); torch.nonzero(i)
        x.split(2)[0]; x.split(2)[1]; x.split([1, 3], 1)[1]; x.chunk(2)[0]; x.chunk(3, 1)[2]; torch.split(x, 1)[2]; torch.chunk(v, 2)[1]; x.max(0).indices
        torch.cat([x, z]); torch.cat([x, z], 1); torch.cat((v, w)); torch.stack([x, z]); torch.stack([x, z], 1); torch.stack([s, s * 2]); torch.stack([x, z], -1); torch.hstack([x, z]); torch.vstack([v, v]); torch.hstack([v, w])
        torch.cat([x, i]); torch.concat([x, z], dim=-1); torch.cat([x, x]); torch.stack(list(x)); torch.cat(x.split(1)); sum(x)
    """,
    "functional": """
        F.relu(x); F.sigmoid(x); F.tanh(x); F.softmax(x, 1); F.softmax(x, dim=-1); F.softmax(x); F.log_softmax(x, 0); F.softplus(x); F.softplus(x * 20); F.softplus(x, 2, 1)
        F.gelu(x); F.gelu(x, approximate='tanh'); F.gelu(x.double()); F.gelu(x, approximate='no'); F.mse_loss(x, z); F.mse_loss(x, z, reduction='sum'); F.mse_loss(x, z, reduction='none'); F.mse_loss(x, p.detach())
        F.mse_loss(x, z, reduction='some'); F.mse_loss(x, v); F.cross_entropy(x, i[:, 1] % 4); F.cross_entropy(x, i[:, 1] % 4, reduction='sum'); F.cross_entropy(x, i[:, 2] % 4, reduction='none')
        F.cross_entropy(x, torch.tensor([1, 0, 3]), weight=p[0].detach()); F.cross_entropy(x, torch.tensor([1, 0, 3]), ignore_index=0); F.cross_entropy(x, torch.tensor([1, 0, 3]), label_smoothing=0.2)
        F.cross_entropy(x, torch.tensor([1, 0, 3]), p[0].detach(), label_smoothing=0.1, reduction='sum'); F.cross_entropy(x, torch.tensor([1, 0, 3]), p[0].detach(), label_smoothing=0.1); F.cross_entropy(x, p.softmax(1)); F.cross_entropy(x, p.softmax(1).detach(), reduction='none')
        F.cross_entropy(x, p.softmax(1).detach(), p[1].detach(), label_smoothing=0.3); F.cross_entropy(v, torch.tensor(2)); F.cross_entropy(q, torch.tensor([[0, 1, 2, 0], [1, 1, 0, 2]])); F.cross_entropy(x, torch.tensor([0, 5, 1])); F.cross_entropy(x, torch.tensor([0, 1]))
        F.nll_loss(x, torch.tensor([1, 0, 3])); F.nll_loss(x.log_softmax(1), torch.tensor([1, 0, 3]), reduction='none'); F.nll_loss(x, torch.tensor([1, 0, 3]), p[0].detach()); F.nll_loss(x, torch.tensor([1, 0, 3]), ignore_index=3, reduction='sum'); F.nll_loss(x, i[:, 0] * 1.0)
        F.binary_cross_entropy(x.sigmoid(), p.clamp(0, 1)); F.binary_cross_entropy(x.sigmoid(), b.float(), reduction='sum'); F.binary_cross_entropy(x.sigmoid(), b.float(), weight=p.detach()); F.binary_cross_entropy(x.sigmoid(), b.float(), reduction='none'); F.binary_cross_entropy(x * 9, p); F.binary_cross_entropy(x, v)
        F.binary_cross_entropy((k / 3).clamp(0, 1), b.float()); F.binary_cross_entropy_with_logits(x, p); F.binary_cross_entropy_with_logits(x, b.float(), reduction='sum'); F.binary_cross_entropy_with_logits(x, b.float(), pos_weight=v.detach().abs()); F.binary_cross_entropy_with_logits(x * 100, b.float())
        F.binary_cross_entropy_with_logits(x, z.sigmoid(), p.detach(), reduction='none', pos_weight=p[1].detach()); F.binary_cross_entropy_with_logits(x, v); F.linear(x, a); F.linear(x, a, v); F.linear(x, a[:2], v[:2]); F.linear(v, a, v); F.linear(q, a, v); F.linear(q, a); F.linear(v, a)
        F.one_hot(n); F.one_hot(n, 9); F.one_hot(j, 3); F.one_hot(n, 2); F.one_hot(-n); F.one_hot(x); F.one_hot(torch.tensor(2), 4)
    """,
    "kinds of elements": """
        b ** True; ~x; +b; abs(b); b.sign(); i << 1; i >> 1; 1 << i; i << i; x & 1; x | b; i & 1.5; i.frac(); b.square(); p.logit(); x.sgn(); x.positive()
        b.positive(); torch.positive(x); torch.arctan2(x, z); x.arctan2(z); x.fix(); torch.fix(x); torch.xlogy(2, p); k.xlogy(p); torch.xlogy(k, k - 1); k.xlogy(2); torch.xlogy(p, 2); i.hypot(i)
        x.logaddexp2(z); torch.logaddexp2(x, z); torch.maximum(x, 1.0); x.bitwise_not(); i.bitwise_left_shift(1); i.div(2, rounding_mode='floor')
        i.div(2, rounding_mode='trunc'); ni.div(2, rounding_mode='trunc'); ni.div(2, rounding_mode='floor'); x.subtract(z); torch.subtract(x, z, alpha=2)
        i.add(i, alpha=2.5); x.add('a'); torch.float_power(x, 2); torch.float_power(i, 2); torch.float_power(2, x); torch.allclose(x, d); x.isclose(d)
        torch.isreal(x); torch.isposinf(1 / k); torch.isneginf(-1 / k); torch.isin(i, torch.tensor([1, 2])); torch.isin(i, 2); torch.is_nonzero(s)
        torch.is_nonzero(x); x.is_nonzero()
    """,
    "reductions and edges": """
        e2.amax(0); e2.softmax(0); e2.logsumexp(0); e2.norm(p=inf); e.median(); e.unique(); torch.cat([e, v]); torch.cat([e, x]); e2.chunk(2); s.sum((0, -1))
        s.max(0); s.max(-1); b.argmax(); b.argmax(0); (k / k).nanmean(); x.nanmean(0); (k / k).nanmedian(); x.nanmedian(); k.median(); x.mode(); i.mode(0)
        k.mode(1); torch.quantile(i, 0.5); torch.quantile(x, 2.0); x.kthvalue(2); x.kthvalue(1, 0); x.kthvalue(2, keepdim=True); k.kthvalue(2, 1)
        x.kthvalue(9); x.norm(p=-inf); x.norm(p=0.5); x.norm(p='nuc'); i.softmax(0); x.cummax(0); x.cummin(1); k.cummax(0); k.cummax(1); k.cummin(1)
        x.cummax(-1).values; i.cummax(0); s.cummax(0); torch.cummax(v, 0); torch.cummin(v, dim=0); x.cummax(2); u8.all(); i.unique(); k.unique()
        torch.unique(i, return_counts=True); torch.unique(i, return_inverse=True); torch.unique(i, True, True, True); torch.unique(i, dim=0)
        torch.unique(k, sorted=False).sort().values; torch.unique_consecutive(i); torch.unique_consecutive(n, return_counts=True)
        k.unique(return_inverse=True)[1]; torch.bincount(n); torch.bincount(n, minlength=9); torch.bincount(n, weights=v.detach()[[0, 1, 2, 3, 0]])
        n.bincount(); torch.histc(x.detach(), 4); x.histc(4, -1, 1); torch.searchsorted(v.detach().sort().values, s.detach())
        torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 6])); torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 6]), right=True)
        torch.bucketize(x.detach(), torch.tensor([-1.0, 0.0, 1.0])); torch.searchsorted(torch.tensor([1, 3, 5]), 3); torch.cov(x); torch.corrcoef(x); x.cov()
        torch.cumulative_trapezoid(x); torch.diff(x, prepend=z[:, :1]); b.diff(dim=0); torch.std_mean(x); k.aminmax(); torch.trapezoid(x, z); x.quantile(0.5)
        torch.quantile(x, 0.4, interpolation='lower')
        torch.gradient(x); torch.gradient(x, dim=1, spacing=0.5, edge_order=2); torch.gradient(i); torch.gradient(x, spacing=[0.5, 2]); torch.gradient(x, dim=5)
        torch.gradient(x, dim=-1, spacing=(torch.tensor([0.0, 1.0, 2.5, 3.0]),), edge_order=2)[0]; torch.gradient(q, spacing=(s,), dim=2)[0]
        torch.gradient(x.exp(), dim=(1, 0), spacing=(v, w), edge_order=2)[1]; torch.gradient(x, spacing=(w, v))[1]; torch.gradient(x, edge_order=3)
    """,
    "matrices": """
        torch.inner(s, x); torch.linalg.vecdot(x, z); torch.linalg.matrix_power(a, 2); torch.linalg.matrix_power(a, 3); torch.matrix_power(a, 2)
        a.matrix_power(2); torch.cross(x[:, :3], z[:, :3]); torch.linalg.cross(w, w * 2 + 1); torch.linalg.cross(x[:, :3], z[:, :3])
        torch.cross(x.T[:, :3], z.T[:, :3], dim=1); torch.cartesian_prod(v, w); a.logdet(); torch.logdet(a @ a.T); torch.linalg.solve(a, v[None])
        torch.linalg.solve(a, x); torch.linalg.svd(x).S; torch.linalg.svdvals(x); torch.linalg.svdvals(a); torch.linalg.svdvals(q); torch.linalg.svdvals(v)
        torch.linalg.pinv(x); torch.linalg.pinv(a); torch.linalg.pinv(x.T); torch.pinverse(x); x.pinverse(); torch.linalg.pinv(q)
        torch.linalg.pinv(a + a.T, hermitian=True); torch.linalg.matrix_rank(x); torch.linalg.matrix_rank(a); torch.linalg.norm(x, 2)
        torch.linalg.norm(x, 'nuc'); torch.linalg.norm(x, 1); torch.linalg.norm(x, inf); torch.linalg.norm(x, -1); torch.linalg.norm(x, -2)
        torch.linalg.norm(v, -inf); torch.linalg.norm(x, ord=inf, dim=(0, 1)); torch.linalg.matrix_norm(x); torch.linalg.matrix_norm(x, 1)
        torch.linalg.matrix_norm(x, 2); torch.linalg.matrix_norm(q); torch.linalg.vector_norm(i); torch.linalg.diagonal(a); torch.linalg.matrix_power(a, -1)
    """,
    "arrangements": """
        x[None].stride(); torch.empty(2, 0, 3).stride(); x.type('torch.DoubleTensor'); x.mH; v.mT; s.mT; x.adjoint(); s.transpose(0, 0); q.moveaxis(0, 1)
        torch.moveaxis(q, 0, 2); x.flatten(1, 0); x.unflatten(1, (3, 2)); x.expand(size=(2, 3, 4)); torch.broadcast_shapes((3, 1), (4,)); torch.atleast_1d(s)
        torch.atleast_2d(v); torch.atleast_3d(x); torch.atleast_2d(s, v)[0]; nc.ravel(); v.tril(); torch.diag_embed(v); torch.diag_embed(x); v.diag_embed(1)
        torch.diagflat(x); x.flip(0, 0); torch.fliplr(x); torch.flipud(x); x.fliplr(); x.rot90(); torch.rot90(x, 2); torch.rot90(x, 1, [1, 0])
        x.roll((1,), (0, 1)); torch.repeat_interleave(torch.tensor([2, 1])); x.unfold(0, 2, 1); x.unfold(1, 2, 2); v.unfold(0, 3, 1); x.unfold(1, 3, 1).sum()
        q.unfold(-1, 2, 1); v.unfold(0, 5, 1); x.unfold(2, 1, 1); v.unfold(0, 2, 0); x.split(0); x.tensor_split(2); torch.tensor_split(x, 3, 1)
        torch.tensor_split(v, (1, 3)); x.hsplit(2); x.vsplit(3); torch.hsplit(x, 2); x.chunk(0); torch.cat([]); torch.cat(x); torch.cat([x, 1])
        torch.cat((x, z), axis=1); torch.dstack([x, z]); torch.column_stack([v, v]); torch.row_stack([v, v]); torch.column_stack([x, w]); torch.hstack((v, e))
        torch.meshgrid(x, v, indexing='ij'); x.byte(); (x * 3).char(); torch.tril_indices(3, 3); torch.triu_indices(2, 3, 1); torch.block_diag(x, a)
        torch.tensor(300, dtype=torch.uint8); torch.tensor(-1, dtype=torch.uint8); torch.tensor([1, 300], dtype=torch.int8); torch.tensor(1e10, dtype=torch.int32)
        torch.tensor(float('nan'), dtype=torch.int64); torch.tensor(2 ** 63, dtype=torch.float32)
    """,
    "places": """
        x[::0]; x[s]; q[0, :, torch.tensor([1, 2])]; x[u8[:, 0] % 3]; s[True]; s[False]; x.index_select(0, torch.tensor(1)); x.index_select(0, j)
        x.index_select(0, torch.tensor([0.0])); s.index_select(0, torch.tensor([0])); x.gather(1, j.float()); s.gather(0, torch.tensor(0))
        s.gather(0, torch.tensor([0])); v.gather(0, torch.tensor(0)); x.take(torch.tensor([12])); x.take_along_dim(j, 0)
        torch.take_along_dim(x, x.argsort(1), 1); torch.take_along_dim(x, x.argmax(1, keepdim=True), 1); x.take_along_dim(torch.tensor([3, 0]))
        x.masked_select(i); x.masked_fill(i, 1); x.masked_fill(b, v); torch.where(x, x, z); torch.where(i, x, z); torch.where(b, x); torch.where(True, x, z)
        x.scatter(0, j, i); x.scatter_add(0, j, i); x.scatter_add(0, j, d); x.index_add(1, torch.tensor([0]), z[:, :1], alpha=2)
        x.index_add(0, torch.tensor([3]), z[:1]); x.index_add(0, torch.tensor([0, 1]), z); x.index_fill(0, torch.tensor([0]), s); s.sort(); torch.msort(x)
        x.msort(); s.topk(1); x.topk(-1); s.nonzero(); x.argwhere(); torch.argwhere(k); x.clone().zero_(); x.clone().fill_(2); x.clone().fill_(s)
        x.clone().tril_(); x.clone().triu_(1); x.clone().atan2_(z); x.clone().hypot_(z); x.clone().nan_to_num_()
    """,
    "functional further": """
        F.selu(x); F.celu(x); F.celu(x, 2.0); F.prelu(x, one); F.prelu(x, v); F.mish(x); F.hardswish(x); F.hardswish(x * 3); F.tanhshrink(x)
        F.gelu(x, 'tanh'); F.cosine_similarity(x, z); F.cosine_similarity(x, z, dim=0); F.cosine_similarity(v, v, 0); torch.cosine_similarity(x, z)
        F.layer_norm(x, (4,)); F.layer_norm(x, [4], v, v); F.layer_norm(x, (3, 4)); F.layer_norm(x, (4,), weight=v); F.layer_norm(x, (4,), eps=0.1)
        F.layer_norm(q, (4,)); F.layer_norm(x, (3,)); F.layer_norm(x, 4); F.layer_norm(x, (4,), w); F.rms_norm(x, (4,)); F.rms_norm(x, (4,), v)
        F.pad(x, (1, 1)); F.pad(x, (1, 2), value=3.0); F.pad(x, (0, 1, 2, 0)); F.pad(x, [1, 0], 'constant', 0.5); F.pad(x, (-1, 0)); F.pad(x, (-1, -1))
        F.pad(x, (1, -1)); F.pad(v, (1, 1)); F.pad(v, (1, 1), 'reflect'); F.pad(x, (1,)); F.pad(x, (1, 1, 1, 1, 1, 1)); F.pad(i, (1, 1)); F.pad(b, (1, 1))
        F.pad(s, (1, 1)); F.pad(x, (0, 0)); F.pad(x, ()); F.pad(q, (1, 1, 1, 1, 1, 1)); F.pad(x, (-3, -3)); torch.nn.functional.pad(x, (1, 1), mode='x')
        F.embedding(n, a[:, :2].repeat(2, 1)); F.embedding(n, x[:, 0:2].repeat(3, 1)); F.embedding(j, x); F.embedding(n, x); F.mse_loss(i, i)
        F.kl_div(x.log_softmax(1), z.softmax(1)); F.kl_div(x.log_softmax(1), z.softmax(1), reduction='batchmean')
        F.kl_div(x.log_softmax(1), z.softmax(1), reduction='sum'); F.kl_div(x.log_softmax(1), z.log_softmax(1), log_target=True); F.kl_div(x, k)
        F.kl_div(x, z.softmax(1), reduction='none'); F.hinge_embedding_loss(x, x.detach().sign()); F.margin_ranking_loss(x, z, b.float() * 2 - 1)
        F.triplet_margin_loss(x, z, p); F.cosine_embedding_loss(x, z, torch.tensor([1, -1, 1])); F.soft_margin_loss(x, b.float() * 2 - 1)
        F.poisson_nll_loss(x, p); F.poisson_nll_loss(x, p, log_input=False); F.poisson_nll_loss(x, p, full=True); F.gaussian_nll_loss(x, z, p)
        F.cross_entropy(x, torch.tensor([-100, -100, -100])); F.cross_entropy(x, torch.tensor([1, 0, 3]), weight=w.detach())
        F.cross_entropy(x, torch.tensor([1.0, 0, 3])); F.cross_entropy(x, z.softmax(1), ignore_index=1)
        F.cross_entropy(x, torch.tensor([1, 0, 3], dtype=torch.int32)); F.nll_loss(x, torch.tensor([1, 0, 3]), weight=w.detach())
        F.binary_cross_entropy(x.sigmoid(), i); F.binary_cross_entropy(x.sigmoid(), b.double()); F.binary_cross_entropy_with_logits(x, b)
        F.binary_cross_entropy_with_logits(x, i); torch.celu(x); torch.selu(x); torch.prelu(x, one); F.glu(x); F.pairwise_distance(x, z)
        F.pad(q, (1, 1), mode='circular'); F.pad(q, (1, 1), mode='reflect'); F.softshrink(x)
    """,
    "placed": """
        x.scatter_reduce(0, j, z, 'sum'); x.scatter_reduce(0, j, z, 'sum', include_self=False); torch.scatter_reduce(x, 0, j, z, 'mean'); k.scatter_reduce(0, j, k, 'amax'); x.scatter_reduce(0, j, z, 'amin', include_self=False)
        x.scatter_reduce(0, j[:2], z[:2], 'amax'); x.scatter_reduce(0, j, z, 'some'); x.clone().scatter_reduce_(0, j, z, 'amax'); x.masked_scatter(b, z); torch.masked_scatter(x, x > 0, z.T); x.clone().masked_scatter_(b, z); x.masked_scatter(b, z[0, :1])
        x.masked_scatter(i, z); x.masked_scatter(b, d); x.select_scatter(v, 0, 1); torch.select_scatter(x, w, 1, -1); x.select_scatter(w, 0, 1); x.slice_scatter(z[:2], 0, 1, 3); torch.slice_scatter(x, z[:, ::2], 1, 0, 4, 2); x.slice_scatter(z)
        x.diagonal_scatter(w); torch.diagonal_scatter(x, w, 1); x.diagonal_scatter(v); torch.combinations(v); torch.combinations(w, 2, True); torch.combinations(x); torch.addbmm(x[:, :3], q, q.mT, beta=0.5, alpha=2); torch.vdot(v, v); torch.ger(w, v); torch.chain_matmul(x, a, a)
        torch.einsum(x, [0, 1], v, [1], [0]); torch.einsum(x, [0, 1], z, [0, 1]); torch.linalg.lstsq(a, v).solution; F.elu(k); F.selu(k); F.celu(k - 1)
    """,
    "windows": """
        F.conv1d(q, q[:, :, :2]); F.conv1d(q, q[:, :, :3], w[:2], padding=1); F.conv1d(q, q[:, :, :2], stride=2, dilation=2); F.conv1d(x, q[:, :, :2]); F.conv1d(q, q.mT); torch.conv1d(q, q[..., :1])
        F.conv1d(q, q[:, :, :3], padding='same'); F.conv1d(q, q[:, :, :2], padding='same'); F.conv1d(q, q[:, :, :2], padding='valid'); F.conv1d(q[:, :2], a.reshape(4, 1, 4), v, groups=2, padding=2); F.conv1d(q, q.double()); F.conv1d(q, q[:, :2]); F.conv1d(q, q, padding='x')
        F.conv2d(q[:, None], a.reshape(4, 1, 2, 2)); F.conv2d(q[:, None], a.reshape(4, 1, 2, 2), v, stride=2, padding=1); F.conv2d(q[:, :2, None], q.reshape(2, 1, 3, 4)[..., :2, :2], padding=1, groups=2); F.conv2d(q[None], a.reshape(4, 2, 2, 1), v, padding=(1, 0), dilation=(2, 1)); F.conv2d(q, a.reshape(4, 2, 2, 1))
        F.conv2d(q[None], a.reshape(4, 2, 2, 1), padding='same'); F.conv2d(q[:1, None], q[:1, None], w[:1]); F.conv2d(q[None], a.reshape(4, 4, 1, 1)); F.conv2d(x, a.reshape(4, 4, 1, 1)); F.conv2d(q[None], a.reshape(4, 2, 2, 1), w); F.conv2d(q[None], q[None], stride=0); F.conv2d(q[None], q[None], padding=-1)
        F.conv2d(i[None, None], a.reshape(4, 1, 2, 2)); F.conv2d(q[None], q[None], groups=2); F.conv2d(q[:, None], a[None, None]); F.conv3d(q[None, None], q[:, None, :1, :2, :2]); F.conv_transpose1d(q, q.transpose(0, 1)); F.conv_transpose1d(q, q.transpose(0, 1), w[:2], stride=2, padding=1, output_padding=1)
        F.conv_transpose2d(q[None], a.reshape(2, 2, 2, 2)); F.conv_transpose2d(q[None], a.reshape(2, 2, 2, 2), w[:2], 2, 1, 1); F.conv_transpose2d(q[None], a.reshape(2, 2, 2, 2), groups=2, dilation=2); F.conv_transpose2d(q[None], a.reshape(4, 1, 2, 2)); F.conv_transpose2d(q[None], a.reshape(2, 2, 2, 2), output_padding=1)
        F.max_pool1d(x, 2); F.max_pool1d(q, 3, 1, 1); F.max_pool1d(k, 2, return_indices=True); F.max_pool1d(x, 9); F.max_pool2d(q, 2); F.max_pool2d(q, 2, 1); F.max_pool2d(q, (2, 3), padding=1); F.max_pool2d(q, 2, stride=2, ceil_mode=True); F.max_pool2d(q, 2, dilation=(1, 2)); F.max_pool2d(k[None], 2, 1, return_indices=True)
        F.max_pool2d(i[None], 2); F.max_pool2d(q, 5); F.max_pool2d(q, 2, padding=2); F.max_pool2d(x, 2); F.avg_pool1d(x, 2); F.avg_pool1d(q, 3, 1, 1); F.avg_pool1d(q, 2, ceil_mode=True); F.avg_pool2d(q, 2); F.avg_pool2d(q, (2, 3), 1, (1, 1)); F.avg_pool2d(q, 2, 2, 1, count_include_pad=False); F.avg_pool2d(q, 2, 2, 1, True, False)
        F.avg_pool2d(q, 2, ceil_mode=True); F.avg_pool2d(q, 2, padding=1, ceil_mode=True); F.avg_pool2d(q, 2, divisor_override=3); F.avg_pool2d(q, 7); F.adaptive_avg_pool2d(q, 2); F.adaptive_avg_pool2d(q, (2, 3)); F.adaptive_avg_pool2d(q, (None, 1)); F.adaptive_avg_pool2d(q[None], 1); F.adaptive_avg_pool1d(x, 3); F.adaptive_avg_pool1d(q, 1)
        F.unfold(q[None], 2); F.unfold(q, (2, 1), padding=1, stride=2, dilation=2); F.unfold(q, 5); F.fold(q[0].T, (2, 3), (2, 2)); F.fold(q.transpose(1, 2), (2, 4), 2, padding=0, stride=1); F.fold(q.transpose(1, 2), (2, 4), 2); F.fold(F.unfold(q, 2), (3, 4), 2)
        F.interpolate(q, scale_factor=2); F.interpolate(q, 3); F.interpolate(q, 6, mode='linear'); F.interpolate(q, scale_factor=1.5, mode='linear', align_corners=False); F.interpolate(q[None], (5, 3), mode='bilinear'); F.interpolate(q[None], (5, 3), mode='bilinear', align_corners=True); F.interpolate(q[None], scale_factor=(2, 1)); F.interpolate(q)
        F.batch_norm(x, None, None, training=True, eps=0.01); F.batch_norm(x, None, None, v, v, True, 0.1, 0.01); F.batch_norm(q, None, None, w, w, training=True, eps=0.1); F.batch_norm(q, w.detach(), w.detach().abs(), w, w); F.batch_norm(q, w.detach(), w.detach().abs()); F.batch_norm(q, None, None, None, w, True); F.batch_norm(q, w.detach(), w.detach().abs(), w)
        F.batch_norm(x, None, None); F.batch_norm(x[:1], None, None, training=True); F.batch_norm(q, v, v); F.batch_norm(q, None, None, v, training=True); F.group_norm(q, 1); F.group_norm(q, 3, w, w); F.group_norm(q[:, :2], 2, w[:2], eps=0.1); F.group_norm(q, 2); F.group_norm(q, 1, v); F.instance_norm(q); F.instance_norm(q, weight=w, bias=w)
        F.instance_norm(q, w.detach(), w.detach().abs(), w, w, False); F.pixel_shuffle(a.reshape(4, 2, 2), 2); F.pixel_shuffle(q, 2); F.scaled_dot_product_attention(q, q, q); F.scaled_dot_product_attention(x, z, p, scale=0.5); F.scaled_dot_product_attention(q, q, q, is_causal=True); F.scaled_dot_product_attention(x, x, z, b[:, :3]); F.bilinear(x, z, a[None])
        F.relu_(x * 1); F.elu_(x * 1); F.leaky_relu_(x * 1, 0.2); F.hardtanh_(x * 1); F.selu_(x * 1); F.threshold_(x * 1, 0.1, 2.0); F.dropout(x, 0.0); F.dropout2d(q[None], training=False)
    """,
    "further": """
        x.logcumsumexp(0); torch.logcumsumexp(x, 1); (x * 60).double().logcumsumexp(1); torch.matrix_exp(a); torch.linalg.matrix_exp(a * 3); torch.matrix_exp(x); a.matrix_exp(); torch.renorm(x, 2, 0, 1.0); x.renorm(1, 1, 2.0); torch.copysign(x, z); torch.copysign(x, -1.0); k.copysign(x); torch.copysign(i, -2)
        torch.ldexp(x, i); x.ldexp(z); x.put(torch.tensor([0, 5]), v[:2]); x.put(torch.tensor([1, 1, -1]), w, accumulate=True); x.put(torch.tensor([20]), w[:1]); x.put(torch.tensor([0]), v); x.clone().put_(torch.tensor([2, 3]), v[:2]); torch.vander(v); torch.vander(w, 2); torch.vander(v, increasing=True)
        torch.linalg.vander(w); torch.linalg.vander(x, N=3); torch.linalg.cond(a); torch.linalg.cond(a, 1); torch.linalg.cond(a, 'fro'); torch.linalg.cond(a, -2); torch.linalg.cond(x); torch.linalg.lu(a); torch.linalg.lu(x.detach()); torch.linalg.lu_factor(a); torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x.T)
        torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x, left=False); torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x.T, adjoint=True); torch.linalg.lu(a, pivot=False); torch.linalg.solve_triangular(a, x.T, upper=True); torch.linalg.solve_triangular(a, x.T, upper=False, unitriangular=True); torch.linalg.solve_triangular(a, x, upper=True, left=False)
        x.scatter_reduce(0, j, z, 'prod'); k.scatter_reduce(0, j, k, 'prod'); x.scatter_reduce(0, j, z, 'prod', include_self=False); torch.scatter_reduce(x, 1, j, p, 'prod'); torch.relu_(x * 1); torch.exp_(x * 1); torch.sigmoid_(x * 1); torch.sqrt_(p * 1); torch.clamp_(x * 1, 0, 1); torch.neg_(x * 1); torch.exp_(x); (x * 1).copysign_(z)
        (w * 1).addmv_(x, v); (x * 1).addr_(w, v); (x[:, :3] * 1).addmm_(x, z.T); (x * 1).xlogy_(p); (x / 9).abs().logit_(0.1); torch.bernoulli(x); torch.bernoulli(b.float()); (x * 1).bernoulli_(0.0); torch.bernoulli(x.sigmoid() * 0); torch.multinomial(b.float(), 5); torch.multinomial(-p, 1); torch.multinomial(p * 0, 1)
        torch.multinomial(torch.tensor([0.0, 1.0]), 1); torch.multinomial(torch.tensor([0.0, 1.0]), 3, replacement=True); torch.poisson(x); torch.poisson(k * 0)
    """,
    "special": """
        torch.lgamma(p); p.lgamma(); torch.special.gammaln(p); torch.digamma(p); torch.polygamma(1, p); p.polygamma(2); torch.erfinv(x / 4); torch.i0(x); torch.special.i0e(x); torch.special.i1(x); torch.special.erfcx(x); torch.special.ndtr(x)
        torch.special.ndtri(p / 4); torch.special.log_ndtr(x); torch.special.entr(p); torch.special.xlog1py(x, p); torch.special.expit(x); i.lgamma(); p.clone().lgamma_(); torch.polygamma(-1, p); torch.special.softmax(x, 0); torch.special.exp2(x)
    """,
}


def expressions() -> list[tuple[str, str]]:
    """Area and expression."""
    return [(area, text.strip()) for area, lines in EXPRESSIONS.items()
            for line in lines.strip().splitlines() for text in line.split("; ") if text.strip()]
