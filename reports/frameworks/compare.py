"""Where two runs of the table differ, times aside."""


def leaves(value, path=""):
    """(path, value) of all numbers and texts below; what hangs on the clock is left out."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key != "times":
                yield from leaves(below, f"{path}/{key}")
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from leaves(below, f"{path}/{index}")
    else:
        yield path, value


def in_campaign(path):
    return "/campaign" in path


def differences(first, second):
    """{"compared": how many figures and texts, "differing": [[path, first, second]]}, and the same of the campaigns, whose search is guided by
    what the last input did; paths start with the kernel's name. "columns": those that both runs judged, which alone are compared."""
    judged = [{entry["name"] for entry in run if "not_checked" not in entry} for run in (first, second)]
    columns = [entry["name"] for entry in first if entry["name"] in judged[0] & judged[1]]
    one, two = ({f"{entry['name']}{path}": value for entry in run if entry["name"] in columns for path, value in leaves(entry)} for run in (first, second))
    differing = [[path, one.get(path), two.get(path)] for path in sorted(one.keys() | two.keys()) if one.get(path) != two.get(path)]
    searched = [path for path in one.keys() | two.keys() if in_campaign(path)]
    return {"columns": columns, "compared": len(one.keys() | two.keys()) - len(searched), "differing": [change for change in differing if not in_campaign(change[0])],
            "campaigns_compared": len(searched), "campaigns_differing": [change for change in differing if in_campaign(change[0])]}
