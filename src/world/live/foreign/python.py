# Runs the Python plugins of Inmanta modules for workbench: one JSON document a line in, one a line out.
#
# It brings what plugins import from `inmanta.plugins`, and nothing else of inmanta-core.
import collections.abc
import dataclasses
import faulthandler
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback
import types
import typing

LONGEST = int(sys.argv[1])

# The caller asks for the place by a signal, and reads it here. A crash writes it, too.
notes = os.dup(2)
faulthandler.enable(notes)
faulthandler.register(signal.SIGUSR1, notes, all_threads=False)
requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
null = os.open(os.devnull, os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(null, number)


class Needed(BaseException):
    """A plugin reads an attribute that was not sent yet."""

    def __init__(self, instance, name):
        self.instance, self.name = instance, name


class PluginException(Exception):
    def __init__(self, message=""):
        super().__init__(message)
        self.message = message


class Unknown:
    def __init__(self, source=None):
        self.source = source


class Context:
    """What a plugin may ask of the compiler: nothing here."""

    def __getattr__(self, name):
        raise PluginException(f"Context.{name} is not available here")


class Instance:
    """An instance of the model; it can be read."""

    __slots__ = ("_id", "_type", "_call")

    def __init__(self, id, type, call):
        object.__setattr__(self, "_id", id)
        object.__setattr__(self, "_type", type)
        object.__setattr__(self, "_call", call)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        known = self._call.known.get(str(self._id), {})
        if name not in known:
            raise Needed(self._id, name)
        return self._call.value(known[name])

    def __setattr__(self, name, value):
        raise AttributeError("Readonly object")

    def __eq__(self, other):
        return isinstance(other, Instance) and other._id == self._id

    def __hash__(self):
        return hash(self._id)

    def _get_instance(self):
        return self

    def __repr__(self):
        return f"@{self._type} {self._id}"


class Call:
    def __init__(self, known):
        self.known = known

    def value(self, sent):
        if isinstance(sent, list):
            return [self.value(item) for item in sent]
        if isinstance(sent, dict):
            if "$ref" in sent:
                return Instance(sent["$ref"], sent["$type"], self)
            if "$unknown" in sent:
                return Unknown()
            if "$big" in sent:
                return int(sent["$big"])
            if "$float" in sent:
                return float(sent["$float"])
            return {key: self.value(item) for key, item in sent["$dict"]}
        return sent


# The dataclasses that were made of instances for the call at hand, each with its instance.
taken = {}


def entity_name(made):
    """The entity of a dataclass: it has the same name in the same module."""
    return f"{made.__module__.removeprefix('inmanta_plugins.')}.{made.__name__}".replace(".", "::")


def as_dataclass(value, annotation):
    """An instance as the dataclass that a plugin asks for."""
    if not (isinstance(value, Instance) and isinstance(annotation, type) and dataclasses.is_dataclass(annotation)):
        return value
    made = annotation(**{field.name: getattr(value, field.name) for field in dataclasses.fields(annotation)})
    taken[id(made)] = (made, value)
    return made


def sent(value, depth=0):
    """A result as JSON."""
    if depth > 100:
        raise PluginException("the result nests too deep")
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise PluginException("a text of the result is not UTF-8") from None
        return str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"$big": str(int(value))} if abs(value) >= 1 << 63 else int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return {"$float": repr(value)}
        return {"$float": repr(float(value))}
    if isinstance(value, Instance):
        return {"$ref": value._id}
    if isinstance(value, Unknown):
        return {"$unknown": True}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if id(value) in taken:
            return {"$ref": taken[id(value)][1]._id}
        fields = [[field.name, sent(getattr(value, field.name), depth + 1)] for field in dataclasses.fields(value)]
        return {"$data": {"type": entity_name(type(value)), "fields": fields}}
    if isinstance(value, collections.abc.Mapping):
        for key in value:
            if not isinstance(key, str):
                raise PluginException(f"only strings can be keys of a dict, got {key!r}")
        return {"$dict": [[key, sent(item, depth + 1)] for key, item in value.items()]}
    if isinstance(value, (list, tuple, set, frozenset)) or (
        isinstance(value, collections.abc.Sequence) and not isinstance(value, (bytes, bytearray))
    ):
        return [sent(item, depth + 1) for item in value]
    raise PluginException(f"a plugin cannot return a value of type {type(value).__name__}")


# What modules declare: by the name of their Python module.
declared = []


def plugin(function=None, commands=None, emits_statements=False, allow_unknown=False):
    def mark(function, name=None):
        declared.append((function.__module__, name or function.__name__, function, allow_unknown))
        return function

    if callable(function):
        return mark(function)
    if isinstance(function, str):
        return lambda marked: mark(marked, function)
    return mark


def deprecated(function=None, *, replaced_by=None):
    return function if callable(function) else (lambda marked: marked)


class Anything:
    """Stands for what modules import for deploying; it is never used while compiling."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __class_getitem__(cls, item):
        return cls


class Ignored(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():
            made = type(name, (Exception,) if name.endswith(("Exception", "Error")) else (Anything,), {})
        else:
            made = lambda *args, **kwargs: (lambda marked: marked)
        setattr(self, name, made)
        return made


def bring(name, **parts):
    module = Ignored(name)
    module.__path__ = []
    module.__dict__.update(parts)
    sys.modules[name] = module


bring("inmanta")
bring(
    "inmanta.plugins",
    plugin=plugin,
    deprecated=deprecated,
    Context=Context,
    PluginException=PluginException,
    ModelType=lambda name: ("model", name),
)
sys.modules["inmanta.plugins"].ModelType = type(
    "ModelType", (), {"__class_getitem__": classmethod(lambda cls, item: ("model", item))}
)
bring("inmanta.execute")
bring("inmanta.execute.util", Unknown=Unknown)
bring("inmanta.execute.proxy", DynamicProxy=Instance)
for name in ["ast", "config", "const", "export", "resources", "agent", "agent.handler", "compiler", "util", "protocol",
             "module", "references", "data", "data.model", "agent.io", "execute.runtime"]:
    if f"inmanta.{name}" not in sys.modules:
        bring(f"inmanta.{name}")


class Finder(importlib.abc.MetaPathFinder):
    """Modules of the project are packages below `inmanta_plugins`."""

    def __init__(self, folders):
        self.folders = folders

    def find_spec(self, fullname, path=None, target=None):
        parts = fullname.split(".")
        if parts == ["inmanta_plugins"]:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = []
            return spec
        if parts[0] != "inmanta_plugins" or parts[1] not in self.folders:
            return None
        place = os.path.join(self.folders[parts[1]], *parts[2:])
        package = os.path.join(place, "__init__.py")
        if os.path.isdir(place):
            if os.path.isfile(package):
                return importlib.util.spec_from_file_location(fullname, package, submodule_search_locations=[place])
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [place]
            return spec
        if os.path.isfile(place + ".py"):
            return importlib.util.spec_from_file_location(fullname, place + ".py")
        return None


PLAIN = {str: "string", int: "int", float: "float", bool: "bool", type(None): "null", dict: "dict", list: "list",
         typing.Any: "any", object: "any"}


def type_text(annotation, module):
    """The type of an annotation as the model writes it."""
    if isinstance(annotation, str):
        evaluated = None
        if not annotation.replace("::", "").replace("_", "").replace("-", "").rstrip("[]?").isalnum():
            try:
                evaluated = eval(annotation, vars(module))
            except Exception:
                evaluated = None
        return annotation if evaluated is None else type_text(evaluated, module)
    if annotation is Context:
        return "context"
    if annotation in PLAIN if isinstance(annotation, collections.abc.Hashable) else False:
        return PLAIN[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        for extra in arguments[1:]:
            if isinstance(extra, tuple) and extra[:1] == ("model",):
                return extra[1]
        return type_text(arguments[0], module)
    if origin in (typing.Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        inner = type_text(others[0], module) if len(others) == 1 else "any"
        return inner if len(others) == len(arguments) or inner == "any" else inner + "?"
    if origin in (list, set, tuple, collections.abc.Sequence, collections.abc.Collection, collections.abc.Iterable):
        inner = type_text(arguments[0], module) if arguments else "any"
        return "list" if inner in ("any", "list", "dict") or inner.endswith(("[]", "?")) else inner + "[]"
    if origin in (dict, collections.abc.Mapping) or annotation is collections.abc.Mapping:
        return "dict"
    if annotation is collections.abc.Sequence:
        return "list"
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return entity_name(annotation)
    return "any"


def describe(folders):
    """Loads every Python file of the modules, and returns the signatures of their plugins."""
    sys.meta_path.insert(0, Finder(folders))
    for name, files in FILES.items():
        for part in files:
            full = f"inmanta_plugins.{name}" + (f".{part}" if part else "")
            path = os.path.join(folders[name], (part or "__init__") + ".py")
            os.write(notes, f'  File "{path}", line 1 in <module>\n'.encode())
            try:
                importlib.import_module(full)
            except Exception as error:
                return {"failed": {"module": name, "part": part, "name": full, "line": line_of(error, full),
                                   "class": type(error).__name__, "text": str(error)}}
    found = []
    for module, name, function, allow_unknown in declared:
        signature = inspect.signature(function)
        parameters = []
        for parameter in signature.parameters.values():
            bare = parameter.annotation is inspect.Parameter.empty
            parameters.append({
                "name": parameter.name,
                "type": None if bare else type_text(parameter.annotation, sys.modules[module]),
                "kind": parameter.kind.name,
                "optional": parameter.default is not inspect.Parameter.empty,
            })
        returns = signature.return_annotation
        bare = returns is inspect.Signature.empty or returns is None
        found.append({
            "module": module.removeprefix("inmanta_plugins."),
            "name": name,
            "line": function.__code__.co_firstlineno,
            "parameters": parameters,
            "returns": "any" if bare else type_text(returns, sys.modules[module]),
            "allow_unknown": bool(allow_unknown),
        })
    return {"plugins": found}


def line_of(error, full):
    """The last line of the file itself that the error came through."""
    if isinstance(error, SyntaxError) and error.lineno:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename.endswith(".py") and "importlib" not in frame.filename]
    return lines[-1] if lines else None


def call(request):
    functions = {f"{module.removeprefix('inmanta_plugins.')}.{name}": function for module, name, function, _ in declared}
    function = functions[request["function"]]
    state = Call(request["known"])
    arguments = [state.value(value) for value in request["arguments"]]
    named = {name: state.value(value) for name, value in request["named"]}
    for at, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.annotation is Context or parameter.annotation == "Context":
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) and at <= len(arguments):
                arguments.insert(at, Context())
            else:
                named[parameter.name] = Context()
    taken.clear()
    annotations = {name: part.annotation for name, part in inspect.signature(function).parameters.items()}
    try:
        arguments = [as_dataclass(value, annotation) for value, annotation in zip(arguments, annotations.values())] + \
            arguments[len(annotations):]
        named = {name: as_dataclass(value, annotations.get(name)) for name, value in named.items()}
        return {"value": sent(function(*arguments, **named))}
    except Needed as need:
        return {"needs": [need.instance, need.name]}
    except PluginException as error:
        return {"raised": {"explicit": True, "class": type(error).__name__, "text": str(error.message)}}
    except Exception as error:
        return {"raised": {"explicit": False, "class": type(error).__name__, "text": str(error)}}


FILES = {}
for line in requests:
    request = json.loads(line)
    try:
        if "load" in request:
            FILES = {module["name"]: module["files"] for module in request["load"]}
            answer = describe({module["name"]: module["folder"] for module in request["load"]})
        else:
            answer = call(request)
        text = json.dumps(answer)
        if len(text) > LONGEST:
            text = json.dumps({"refused": "its result is too large"})
    except MemoryError:
        text = json.dumps({"refused": "it needs too much memory"})
    except RecursionError:
        text = json.dumps({"refused": "it nests too deep"})
    answers.write(text + "\n")
    answers.flush()
