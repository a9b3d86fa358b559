

import re
import struct
import sys

from fmpy import extract, read_model_description
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave


def word(name):
    """The name that a variable has in C, but for numbers behind names that would be alike."""
    plain = re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
    return name if plain else re.sub("_+", "_", re.sub(r"\W", "_", name, flags=re.ASCII)).strip("_")


class Player:
    """An instance of the FMU."""

    def __init__(self, description, folder):
        self.is_three = description.fmiVersion.startswith("3")
        self.variables = {variable.name: variable for variable in description.modelVariables}
        experiment = description.defaultExperiment
        self.time = float(experiment.startTime or 0) if experiment else 0.0
        arguments = dict(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="chain",
        )
        if self.is_three:
            arguments["guid"] = description.instantiationToken
        try:
            self.fmu = (FMU3Slave if self.is_three else FMU2Slave)(**arguments)
        except Exception as error:  # FMPy has no class of its own for that
            print(f"the library of the FMU cannot be used: {error}", file=sys.stderr)
            print("`fmpy compile FMU` builds one from its sources (with CMake)", file=sys.stderr)
            sys.exit(2)
        self.fmu.instantiate()
        for name, value in PARAMETERS:
            known = [found for found in self.variables if found == name or word(found) == name]
            self.set(known[0], value)
        if self.is_three:
            self.fmu.enterInitializationMode(startTime=self.time)
        else:
            self.fmu.setupExperiment(startTime=self.time)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def access(self, kind, name):
        """The function that gets or sets a variable, and the variable's reference."""
        variable = self.variables[name]
        numbers = "Int64" if self.is_three else "Integer"
        ty = numbers if variable.type == "Enumeration" else variable.type
        return getattr(self.fmu, kind + ty), [variable.valueReference]

    def set(self, name, value):
        function, reference = self.access("set", name)
        function(reference, [value])

    def get(self, name):
        function, reference = self.access("get", name)
        return function(reference)[0]

    def as_got(self, name, value):
        """A recorded value as the FMU gives it: a float of 32 bits is written with fewer digits."""
        is_short = self.variables[name].type == "Float32"
        return struct.unpack("f", struct.pack("f", value))[0] if is_short else value

    def step(self, inputs):
        """The outputs behind one communication step."""
        for name, value in zip(INPUTS, inputs):
            self.set(name, value)
        self.fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=PERIOD)
        self.time += PERIOD
        return [self.get(name) for name in OUTPUTS]


def is_equal(expected, found):
    return expected == found or (expected != expected and found != found)


def play(player, chain):
    """What differs along a chain, a sentence each."""
    for number, (inputs, expected) in enumerate(chain):
        try:
            found = player.step(inputs)
        except FMICallException as error:
            if expected is not None:
                yield f"step {number}: {error}"
            return
        if expected is None:
            yield f"step {number}: it should fail"
            return
        for name, value, other in zip(OUTPUTS, expected, found):
            if not is_equal(player.as_got(name, value), other):
                yield f"step {number}: {name} is {other}, expected {value}"


def main(path):
    description = read_model_description(path)
    folder = extract(path)
    differences = 0
    for number, chain in enumerate(CHAINS, 1):
        for difference in play(Player(description, folder), chain):
            print(f"chain {number}, {difference}")
            differences += 1
        print(f"chain {number}: {len(chain)} steps played, {len(OUTPUTS)} outputs compared in each")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else FMU))
