"""The Tensor: an array with a place in a graph. Operations are put on it by the tables in this package."""
from __future__ import annotations

import math
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sgrad.shim.devices import CPU, check_device, device
from s2sgrad.shim.dtypes import Size, dtype, of_numpy
from s2sgrad.shim.nodes import NO_EDGE, AccumulateGrad, Node, RemovableHandle, add_hook, serial
from s2sgrad.shim.versions import Version

NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead.")
ONLY_LEAVES = ("you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
               "subgraph that doesn't require differentiation use var_no_grad = var.detach().")


SEVERAL, UNRECORDED, CUSTOM = "several", "unrecorded", "custom"


class TensorType(type):
    def __call__(cls, *given: Any, **options: Any) -> Any:
        """The class called as users may call it; this package makes tensors with :func:`new_tensor`."""
        from s2sgrad.shim.creation import legacy_tensor

        return legacy_tensor(*given, **options)

    def __repr__(cls) -> str:
        """Where users find it, not where it is."""
        return f"<class 's2sgrad.{cls.__name__}'>" if cls.__module__ == __name__ else super().__repr__()


class Tensor(metaclass=TensorType):
    """An array that may be differentiated in.

    Attributes
    ----------
    _array
        The values; views share its memory.
    _node, _number
        The node that made it, and which of that node's outputs it is. A leaf has none.
    _memory, _written
        Counts what is written into the memory; made when it is first needed.
    _base, _replay, _stamp
        Of a view: the tensor that it is a view of in the end, the operations that lead there, and the version of the
        memory that its node belongs to.
    """

    __hash__ = object.__hash__
    __array_priority__ = 1000  # so that NumPy leaves operators between its scalars and tensors to them

    _array: np.ndarray
    _memory: Version | None = None
    _unseen = 0
    """So often it was written into before anybody asked for the version."""
    _requires = False
    _node: Node | None = None
    _number = 0
    _grad: Tensor | None = None
    _base: Tensor | None = None
    _replay: tuple = ()
    _stamp = 0
    _back: tuple = ()
    """The operations that lead back to the shape that it had at first, if an operation in place changed it since. Of
    what is no view, ``_replay`` then holds those that lead here: its views start from what it was."""
    _origin = ""
    """Of a view: whether it is one of several that an operation gave, was made while nothing was recorded, or comes out
    of an operation of the user's own; such may not be written into."""
    _accumulator: Any = None
    """Of a leaf: what gives its node, if there is one; None if there never was one, nor anything of what follows."""
    _formerly: tuple = ()
    """Of a leaf: until when in the numbers of nodes it had another shape or dtype, and which."""
    _hooks: OrderedDict[int, Callable] | None = None
    _after: OrderedDict[int, Callable] | None = None
    _retains = False

    if TYPE_CHECKING:  # the tables put the operations on it
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __len__(self) -> int: ...

    # ---- the graph

    @property
    def requires_grad(self) -> bool:
        return requires(self) or self._base is not None and self._base._requires

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if wanted.__class__ is not bool:
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None and wanted:
            raise RuntimeError(ONLY_LEAVES.partition(". ")[0] + ".")  # though requires_grad_() takes it
        if wanted and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self._set_requires(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        check_flag(requires_grad)
        if requires_grad and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self._set_requires(requires_grad)
        return self

    def _set_requires(self, wanted: bool) -> None:
        if self._node is not None and not wanted:
            raise RuntimeError(ONLY_LEAVES)
        self._requires = wanted

    @property
    def is_leaf(self) -> bool:
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        return current_node(self)

    @property
    def output_nr(self) -> int:
        return self._number

    @property
    def grad(self) -> Tensor | None:
        if self._grad is None and self._node is not None and not self._retains:
            warnings.warn(NOT_A_LEAF, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, given: Tensor | None) -> None:
        if given is not None:
            if not isinstance(given, Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type "
                                f"{type(given).__name__}")
            if given is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if given._array.dtype != self._array.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{given.dtype.spelled}' to a tensor with grad_dtype "
                    f"'{self.dtype.legacy.removesuffix('Tensor')}'. The gradient must match the tensor's grad_dtype")
            if given._array.shape != self._array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(given._array.shape)}' to a tensor of size "
                    f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size")
        self._grad = given

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def retain_grad(self) -> None:
        """Let a backward pass put the gradient into ``.grad``, though this tensor is no leaf."""
        if not self._requires:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        node = current_node(self)
        if node is not None and not self._retains:
            self._retains = True
            node.with_hooks().retaining[self._number] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        return self._retains

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(grad)`` is called whenever a gradient of this tensor is known; what it returns takes its place."""
        if not self._requires:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._hooks is None:
            self._hooks = OrderedDict()
            node = current_node(self)
            if node is None:
                accumulator(self)  # so that whoever looks for one finds the hooks, too
            else:
                node.with_hooks().tensors.setdefault(self._number, self._hooks)
                self._hooks = node.with_hooks().tensors[self._number]
        return add_hook(self._hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable) -> RemovableHandle:
        """``hook(tensor)`` is called after a gradient went into this leaf's ``.grad``."""
        if not self._requires:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._after is None:
            self._after = OrderedDict()
            accumulator(self)
        return add_hook(self._after, hook)

    # ---- the same values outside the graph

    def detach(self) -> Tensor:
        """A tensor with the same memory that requires no gradient. Writing into it is noticed."""
        other = new_tensor(self._array)
        other._memory = self._written
        return other

    def detach_(self) -> Tensor:
        """Cut this tensor off from the graph that made it: it becomes a leaf."""
        if self._base is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are looking at a gradient, "
                               "it may be a view of a larger one.")
        self._node, self._number, self._requires = None, 0, False
        return self

    @property
    def data(self) -> Tensor:
        """A tensor with the same memory that requires no gradient. Writing into it goes unnoticed."""
        return new_tensor(self._array)

    @data.setter
    def data(self, given: Tensor) -> None:
        if not isinstance(given, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(given).__name__}")
        if self._requires and given._array.dtype.kind != "f":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self._take(given._array)

    def _take(self, array: np.ndarray) -> None:
        """Have other memory from now on; what a leaf was is remembered for the nodes that it was an operand of."""
        old = self._array
        if self._requires and self._node is None and (array.shape, array.dtype) != (old.shape, old.dtype):
            accumulator(self)
            self._formerly = *self._formerly, (serial(), ((old.shape, old.dtype),))
        self._array = array

    @property
    def _written(self) -> Version:
        version = self._memory
        if version is None:
            version = self._memory = Version()
            version.count = self._unseen
        return version

    @property
    def _version(self) -> int:
        return self._written.count

    # ---- what it is

    @property
    def dtype(self) -> dtype:
        return of_numpy(self._array.dtype)

    @property
    def device(self) -> device:
        return CPU

    is_cpu, is_cuda = True, False

    def cuda(self, device: Any = None) -> Tensor:
        check_device("cuda")
        return self

    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    def dim(self) -> int:
        return self._array.ndim

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        return Size(self._array.shape) if dim is None else self._of_dim(self._array.shape, dim)

    def _of_dim(self, found: tuple[int, ...], dim: int) -> int:
        if not found:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        if not -len(found) <= dim < len(found):
            raise IndexError(f"Dimension out of range (expected to be in range of [{-len(found)}, {len(found) - 1}], "
                             f"but got {dim})")
        return found[dim]

    def numel(self) -> int:
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        return self._array.itemsize

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    def _is_view(self) -> bool:
        return self._base is not None

    def is_floating_point(self) -> bool:
        return self._array.dtype.kind == "f"

    def is_complex(self) -> bool:
        return False

    def is_contiguous(self) -> bool:
        return bool(self._array.flags.c_contiguous)

    def stride(self, dim: int | None = None) -> Any:
        array = self._array
        strides = [step // array.itemsize for step in array.strides]
        for axis in reversed(range(array.ndim)):
            if array.shape[axis] == 1 and not strides[axis]:  # NumPy's new axes have none
                strides[axis] = strides[axis + 1] * array.shape[axis + 1] if axis + 1 < array.ndim else 1
        if not array.size:  # nor has what is empty
            strides = [math.prod(max(size, 1) for size in array.shape[axis + 1:]) for axis in range(array.ndim)]
        return tuple(strides) if dim is None else self._of_dim(tuple(strides), dim)

    def storage_offset(self) -> int:
        """So many elements into the memory that it is a view of it begins."""
        owner = self._array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        return (self._array.ctypes.data - owner.ctypes.data) // self._array.itemsize

    def data_ptr(self) -> int:
        return self._array.ctypes.data

    def type(self, dtype: Any = None) -> Any:
        """The name of the class that such tensors had once; with an argument, a tensor of that dtype."""
        return f"torch.{self.dtype.legacy}" if dtype is None else self.to(dtype)

    def __repr__(self) -> str:
        from s2sgrad.shim.printing import shown

        return shown(self)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not name.startswith("_") or name.startswith("__")]


def check_flag(requires_grad: Any) -> None:
    if requires_grad.__class__ is not bool:
        raise TypeError(f"argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")


_new = object.__new__


def new_tensor(array: np.ndarray) -> Tensor:
    tensor: Tensor = _new(Tensor)
    tensor._array = array
    return tensor


def placed(array: np.ndarray, node: Node | None, number: int) -> Tensor:
    """A tensor with these values that stands in the graph where another one does."""
    tensor = new_tensor(array)
    if node is not None:
        tensor._requires = True
        if isinstance(node, AccumulateGrad):
            tensor._accumulator = lambda: node
        else:
            tensor._node, tensor._number = node, number
    return tensor


def current_node(tensor: Tensor) -> Node | None:
    """The node that made a tensor; of a view of memory that was written into since, a new one."""
    if tensor._base is not None and tensor._stamp != tensor._written.count:
        from s2sgrad.shim.views import refresh

        refresh(tensor)
    return tensor._node


def stand(tensor: Tensor, node: Node | None, number: int) -> None:
    """Give a tensor another place in the graph, since its memory was written into. Hooks are left where they were: they
    see the gradient of what it was when they came. What it keeps of its gradient is that of what it is now."""
    old = tensor._node
    if old is not None:
        tensor._hooks = None
        if tensor._retains and old is not node and old.hooks is not None:
            kept = old.hooks.retaining.pop(tensor._number, None)
            if node is not None and kept is not None:
                node.with_hooks().retaining[number] = kept
    tensor._node, tensor._number = node, number


def requires(tensor: Tensor) -> bool:
    """Whether a tensor requires a gradient; a view does if something that does was written into its memory."""
    if tensor._base is not None:
        current_node(tensor)
    return tensor._requires


def accumulator(tensor: Tensor, moment: int | None = None) -> AccumulateGrad:
    """The one node of a leaf. ``moment``: the number of the node that the leaf was an operand of."""
    if moment is not None:
        for end, outputs in tensor._formerly:
            if moment < end:
                former = AccumulateGrad(tensor)
                former.outputs = outputs
                return former
    found = tensor._accumulator and tensor._accumulator()
    if found is None:
        found = AccumulateGrad(tensor)
        tensor._accumulator = weakref.ref(found)
    return found


def is_looked_at(leaf: Tensor) -> bool:
    """Whether what goes into the ``.grad`` of a leaf must go through its node: that there is one, or hooks, or that the
    leaf is not what it was."""
    return leaf._accumulator is not None and bool(
        leaf._accumulator() is not None or leaf._hooks or leaf._after or leaf._formerly)


def source_of(tensor: Tensor) -> Any:
    """Where an operand came from, as nodes hold it."""
    if tensor._base is not None:
        current_node(tensor)
    if tensor._node is not None:
        return tensor._node, tensor._number
    if not tensor._requires:
        return None
    return (accumulator(tensor), 0) if is_looked_at(tensor) else tensor


def edge_of(tensor: Tensor) -> tuple:
    """The node and output that a tensor came from, as edges hold it."""
    if tensor._base is not None:
        current_node(tensor)
    if tensor._node is not None:
        return tensor._node, tensor._number
    return (accumulator(tensor), 0) if tensor._requires else NO_EDGE
