"""normcheck for Python: any function of arrays as a kernel that is judged against the exact value."""


def serve(fn, op=None, dtypes=None, contract=None):
    """Answers normcheck's requests with `fn`; see normcheck.serve.serve."""
    from normcheck import serve as server  # numpy is needed from here on alone
    server.serve(fn, op, dtypes, contract)
