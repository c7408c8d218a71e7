"""The pipeline, top to bottom: from a function to the text of its primal and adjoints.

::

    located  = locate(function)            # its syntax tree, with file and lines
    program  = parse(located)              # the few statements of program.py; refuses the rest
    facts    = Infer(program, ...).run()   # abstract values, activity, versions of names
    program  = desugar(program, facts)     # control flow and calls out of expressions
    check_writes(program, facts)           # what may share memory with what is written into
    adjoint  = Reverse(program, ...).run() # general or of one path; asks for what must be saved
    primal   = Primal(program, ...).run()  # the user's code, saving what was asked for
    function = compile_text(str(Text(primal)), ...)
"""
