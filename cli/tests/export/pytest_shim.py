"""As much of pytest as exported modules use, and a runner that prints what became of each case."""


class Skipped(Exception):
    pass


def skip(reason):
    raise Skipped(reason)


def fixture(function=None, scope="function"):
    return (lambda given: given) if function is None else function


class mark:
    @staticmethod
    def parametrize(names, values, ids=None):
        names = [name.strip() for name in names.split(",")]

        def decorate(function):
            values_of = lambda value: value if len(names) > 1 else (value,)
            ids_of = ids or [str(value) for value in values]
            function.cases = [(id, dict(zip(names, values_of(value)))) for id, value in zip(ids_of, values)]
            return function

        return decorate


def main():
    import test_chain

    driver = next(test_chain.driver())
    measured = test_chain.measured(driver)
    for name, function in vars(test_chain).items():
        if not name.startswith("test_"):
            continue
        for id, arguments in function.cases:
            try:
                function(**({"measured": measured} if "measured" in function.__code__.co_varnames else {}), **arguments)
                print(f"passed {name}[{id}]")
            except Skipped as why:
                print(f"skipped {name}[{id}]: {why}")
            except AssertionError as error:
                print(f"failed {name}[{id}]: {error}")
