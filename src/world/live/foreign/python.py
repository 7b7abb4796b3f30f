# Runs the Python code of Inmanta modules for workbench: one JSON document a line in, one a line out.
#
# Plugins import parts of inmanta-core. The interpreter's own inmanta-core is used where it is installed; else stand-ins
# take its place: the parts that plugins use while a model is compiled work, the others may be imported but not used.
import abc
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
import site
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
    """The code reads something of the model that was not sent yet."""

    def __init__(self, instance, name):
        self.instance, self.name = instance, name


# What the requests of a program share.
project = ""
folders = {}
files = {}
roots = {}
search = []
# The packages that are missing, each with the first file and line that imports it.
missing = {}


# Stand-ins for inmanta-core.


class PluginException(Exception):
    def __init__(self, message=""):
        super().__init__(message)
        self.message = message


class UnknownException(Exception):
    def __init__(self, unknown=None):
        super().__init__()
        self.unknown = unknown


class RuntimeException(Exception):
    def __init__(self, stmt=None, msg="", *rest):
        super().__init__(msg)
        self.msg = msg


class NotFoundException(RuntimeException):
    def __init__(self, stmt=None, name="", msg=None):
        super().__init__(stmt, msg or f"could not find value {name}")
        self.name = name


class OptionalValueException(RuntimeException):
    def __init__(self, instance=None, attribute=None):
        super().__init__(None, f"Optional variable accessed that has no value (attribute `{attribute}`)")


class Unknown:
    def __init__(self, source=None):
        self.source = source

    def __iter__(self):
        return iter([])


class NoneValue:
    pass


class Reference:
    """A value that only an agent can read. It is unknown while a model is compiled."""

    def __init__(self, *args, **kwargs):
        pass

    def __class_getitem__(cls, item):
        return cls

    def resolve_other(self, value, logger=None):
        return value.resolve(logger) if isinstance(value, Reference) else value


def read_attribute(instance, name):
    """The value of an attribute in the model's own form."""
    try:
        return instance.get_attribute(name).get_value()
    except NotFoundException:
        raise AttributeError(name) from None


class DynamicProxy:
    """An instance of the model; it can be read."""

    def __init__(self, instance, **kwargs):
        object.__setattr__(self, "_instance", instance)

    def __class_getitem__(cls, item):
        return cls

    @classmethod
    def return_value(cls, value, **kwargs):
        if isinstance(value, NoneValue):
            return None
        if isinstance(value, Unknown):
            raise UnknownException(value)
        if isinstance(value, list):
            return [cls.return_value(item) for item in value]
        if isinstance(value, dict):
            return {key: cls.return_value(item) for key, item in value.items()}
        return DynamicProxy(value) if isinstance(value, Model) else value

    @classmethod
    def unwrap(cls, item, **kwargs):
        return item._get_instance() if isinstance(item, DynamicProxy) else item

    def _get_instance(self):
        return object.__getattribute__(self, "_instance")

    def _type(self):
        return self._get_instance().type

    def is_unknown(self):
        return False

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return DynamicProxy.return_value(read_attribute(self._get_instance(), name))

    def __setattr__(self, name, value):
        raise AttributeError("Readonly object")

    def __eq__(self, other):
        other = other._get_instance() if hasattr(other, "_get_instance") else other
        return self._get_instance() == other

    def __hash__(self):
        return hash(self._get_instance())

    def __repr__(self):
        return f"@{self._get_instance()!r}"


class ModelType:
    def __init__(self, model_type):
        self.model_type = model_type

    def __class_getitem__(cls, item):
        return cls(item)


class IgnoreResourceException(Exception):
    pass


class FieldsOfBases(type):
    """Adds the fields of the bases to those of a resource class."""

    def __new__(cls, name, bases, parts):
        found = [field for base in bases for field in getattr(base, "fields", ())]
        parts["fields"] = tuple(dict.fromkeys(found + list(parts.get("fields", ()))))
        return super().__new__(cls, name, bases, parts)


class Resource(metaclass=FieldsOfBases):
    fields = ("send_event", "receive_events", "report_only")

    def __class_getitem__(cls, item):
        return cls


class PurgeableResource(Resource):
    fields = ("purged", "purge_on_delete")


class ManagedResource(Resource):
    fields = ("managed",)

    @staticmethod
    def get_managed(exporter, obj):
        if not obj.managed:
            raise IgnoreResourceException()
        return True


class DiscoveryResource(Resource):
    fields = ()


# Resource classes by entity, each with the path to its agent and its attribute of the id.
registered = {}


def resource(name, id_attribute, agent):
    def register(cls):
        registered[name] = (cls, {"agent": agent, "name": id_attribute})
        return cls

    return register


class Anything:
    """Takes the place of a part of inmanta-core that is used for deploying. It can be imported, subclassed and used as a
    decorator; its value is an error."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
            return args[0]
        return Anything(f"{self._name}()")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(f"{self._name}.{name}")

    def __getitem__(self, item):
        return self

    def __or__(self, other):
        return typing.Any

    __ror__ = __or__

    def __mro_entries__(self, bases):
        return (type(self._name.split(".")[-1], (), {"__class_getitem__": classmethod(lambda cls, item: cls)}),)

    def __instancecheck__(self, other):
        return False

    def __subclasscheck__(self, other):
        return False

    def _refuse(self, *args):
        top = self._name.split(".")[0]
        package = {"inmanta": "inmanta-core", "inmanta_plugins": "inmanta-module-std"}.get(top, top)
        raise PluginException(f"{self._name} needs the package `{package}`, which this Python does not have: "
                              f"`{INSTALL} {package}` installs it")

    __str__ = __repr__ = __format__ = __bool__ = __iter__ = __len__ = __int__ = __float__ = __enter__ = _refuse


INSTALL = f"{sys.executable} -m pip install"


class AnyModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if full == "inmanta.plugin":
            raise ImportError("cannot import name 'plugin' from 'inmanta': it is in `inmanta.plugins`")
        is_error = name.endswith(("Exception", "Error")) or name in ("ResourcePurged", "SkipResource")
        made = type(name, (Exception,), {"__module__": self.__name__}) if is_error else Anything(full)
        setattr(self, name, made)
        return made


def mark_plugin(function=None, commands=None, emits_statements=False, allow_unknown=False):
    def mark(function, name=None):
        name = name or function.__name__
        declared[(function.__module__, name)] = (function, allow_unknown)
        function.__plugin__ = Filter(function, name)
        return function

    if callable(function):
        return mark(function)
    if isinstance(function, str):
        return lambda marked: mark(marked, function)
    return mark


def mark_deprecated(function=None, *, replaced_by=None, **kwargs):
    return function if callable(function) else (lambda marked: marked)


def reference(name):
    return lambda marked: marked


class FakeProject:
    """The project and its modules, as far as plugins look for files."""

    @classmethod
    def get(cls, *args, **kwargs):
        return cls()

    project_path = property(lambda self: project)
    path = _path = project_path
    modules = property(lambda self: {name: FakeModule(name, root) for name, root in roots.items()})
    autostd = True

    def get_module_by_name(self, name):
        return self.modules[name]


@dataclasses.dataclass
class FakeModule:
    name: str
    path: str

    _path = property(lambda self: self.path)


STAND_INS = {
    "inmanta.plugins": {"plugin": mark_plugin, "deprecated": mark_deprecated, "PluginException": PluginException,
                        "ModelType": ModelType, "allow_reference_values": lambda value: value},
    "inmanta.ast": {"UnknownException": UnknownException, "RuntimeException": RuntimeException,
                    "NotFoundException": NotFoundException, "OptionalValueException": OptionalValueException,
                    "PluginException": PluginException},
    "inmanta.execute.util": {"Unknown": Unknown, "NoneValue": NoneValue},
    "inmanta.execute.proxy": {"DynamicProxy": DynamicProxy, "UnknownException": UnknownException},
    "inmanta.references": {"Reference": Reference, "reference": reference},
    "inmanta.resources": {"Resource": Resource, "PurgeableResource": PurgeableResource, "resource": resource,
                          "ManagedResource": ManagedResource, "DiscoveryResource": DiscoveryResource,
                          "IgnoreResourceException": IgnoreResourceException},
    "inmanta.module": {"Project": FakeProject},
}


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Any submodule of inmanta-core, of a `std` that is not there, and of packages that are missing."""

    def __init__(self):
        self.tops = set()

    def find_spec(self, fullname, path=None, target=None):
        parts = fullname.split(".")
        if parts[0] in self.tops or (parts[:2] == ["inmanta_plugins", "std"] and "std" not in folders):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return AnyModule(spec.name)

    def exec_module(self, module):
        module.__dict__.update(STAND_INS.get(module.__name__, {}))


# The model.


class Entity:
    pass


class Attribute:
    pass


class RelationAttribute(Attribute):
    pass


def entity_of(call, full):
    """An entity, described as it is asked for."""
    made = EntityView.__new__(EntityView)
    object.__setattr__(made, "view", (call, full))
    return made


def attribute_of(call, owner, name, about):
    view = RelationView if about["relation"] else AttributeView
    made = view.__new__(view)
    object.__setattr__(made, "view", (call, owner, name, about))
    return made


def make_views():
    """Entities and attributes that inmanta-core's own classes recognise."""
    global EntityView, AttributeView, RelationView

    class EntityView(core.Entity):
        __init__ = object.__init__
        __setattr__ = object.__setattr__
        about = property(lambda self: self.view[0].about(self.view[1]))
        name = property(lambda self: self.view[1].split("::")[-1])
        attributes = property(lambda self: {name: attribute_of(self.view[0], self.view[1], name, about)
                                            for name, about in self.about["attributes"]})
        parent_entities = property(lambda self: [entity_of(self.view[0], name) for name in self.about["parents"]])
        namespace = property(lambda self: Named(self.view[1].rpartition("::")[0]))

        def get_full_name(self):
            return self.view[1]

        type_string = __str__ = __repr__ = get_full_name

        def get_all_parent_entities(self):
            found = {}
            for parent in self.parent_entities:
                found[parent.get_full_name()] = parent
                for other in parent.get_all_parent_entities():
                    found[other.get_full_name()] = other
            return set(found.values())

        def get_all_parent_names(self):
            return [parent.get_full_name() for parent in self.get_all_parent_entities()]

        def is_subclass(self, other):
            return other.get_full_name() in self.get_all_parent_names()

        def get_attributes(self):
            return self.attributes

        def get_all_attribute_names(self):
            own = list(self.attributes)
            return own + [name for parent in self.parent_entities for name in parent.get_all_attribute_names()]

        def get_attribute(self, name):
            if name in self.attributes:
                return self.attributes[name]
            return next(filter(None, (parent.get_attribute(name) for parent in self.parent_entities)), None)

        def get_indices(self):
            return self.about["indexes"]

        def __eq__(self, other):
            return isinstance(other, core.Entity) and other.get_full_name() == self.get_full_name()

        def __hash__(self):
            return hash(self.get_full_name())

    def attribute_view(base):
        class View(base):
            __init__ = object.__init__
            __setattr__ = object.__setattr__
            about = property(lambda self: self.view[3])
            name = property(lambda self: self.view[2])
            entity = property(lambda self: entity_of(self.view[0], self.view[1]))
            low = property(lambda self: self.about["low"])
            high = property(lambda self: self.about["high"])

            def get_name(self):
                return self.name

            get_entity = lambda self: self.entity

            def is_optional(self):
                return self.low == 0 and self.high == 1

            def is_multi(self):
                return self.high != 1

            @property
            def end(self):
                if self.about["end"] is None:
                    return None
                owner, name = self.about["end"]
                return attribute_of(self.view[0], owner, name, dict(self.view[0].about(owner)["attributes"])[name])

            @property
            def type(self):
                return entity_of(self.view[0], self.about["target"])

            get_type = lambda self: self.type

            def __eq__(self, other):
                return isinstance(other, View) and other.view[1:3] == self.view[1:3]

            def __hash__(self):
                return hash(self.view[1:3])

        return View

    AttributeView, RelationView = attribute_view(core.Attribute), attribute_view(core.RelationAttribute)


class Model:
    """An instance of the model in the model's own form."""

    def __init__(self, id, entity, call):
        self.id, self.entity, self.call = id, entity, call

    type = property(lambda self: entity_of(self.call, self.entity))

    def get_type(self):
        return self.type

    def read(self, name):
        known = self.call.known.get(str(self.id), {})
        if name not in known:
            raise Needed(self.id, name)
        return known[name]

    def get_attribute(self, name):
        return Slot(self, name)

    def __eq__(self, other):
        return isinstance(other, Model) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __lt__(self, other):
        return self.id < other.id

    def __repr__(self):
        return f"{self.entity} {self.id}"


class Slot:
    def __init__(self, owner, name):
        self.owner, self.name = owner, name

    def get_value(self):
        sent = self.owner.read(self.name)
        if isinstance(sent, dict) and "$none" in sent:
            if sent["$none"] == "missing":
                raise core.NotFoundException(None, self.name)
            raise core.OptionalValueException(self.owner, self.name)
        return self.owner.call.value(sent)


class Scope(Model):
    """The variables at a call."""

    def __init__(self, call):
        super().__init__("scope", "scope", call)

    def lookup(self, name, root=None):
        slot = Slot(self, name)
        slot.get_value()
        return slot


class Call:
    def __init__(self, known):
        self.known = known

    def value(self, sent):
        """A value of a request in the model's own form."""
        if sent is None:
            return core.NoneValue()
        if isinstance(sent, list):
            return [self.value(item) for item in sent]
        if isinstance(sent, dict):
            if "$ref" in sent:
                return Model(sent["$ref"], sent["$type"], self)
            if "$unknown" in sent:
                return core.Unknown(None)
            if "$reference" in sent:
                return reference_of(sent["$reference"])
            if "$big" in sent:
                return int(sent["$big"])
            if "$float" in sent:
                return float(sent["$float"])
            return {key: self.value(item) for key, item in sent["$dict"]}
        return sent

    def about(self, entity):
        """An entity's parents, attributes and indexes."""
        known = self.known.get("types", {})
        if entity not in known:
            raise Needed("types", entity)
        return known[entity]

    def argument(self, sent):
        value = self.value(sent)
        is_plain = isinstance(value, (core.Unknown, core.Reference))
        return value if is_plain else core.DynamicProxy.return_value(value)


class Filter:
    """A plugin as templates call it."""

    def __init__(self, function, name):
        self.function, self.name = function, name
        self._context = -1
        for at, parameter in enumerate(inspect.signature(function).parameters.values()):
            if is_context(parameter.annotation):
                self._context = at

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def call_in_context(self, processed_args, resolver=None, queue=None, location=None):
        return self.function(*processed_args.args, **processed_args.kwargs)

    def deprecate_function(self, replaced_by=None):
        pass


class Named:
    def __init__(self, name):
        self.name = name

    def get_full_name(self):
        return self.name


class Here:
    """The statement of a call."""

    def __init__(self, namespace):
        self.namespace = Named(namespace)


class Compiler:
    # Facts come from an orchestrator, and there is none here: each is unknown.
    refs = {"facts": {}}

    def get_plugins(self):
        def full(module, name):
            return f"{module.removeprefix('inmanta_plugins.')}.{name}".replace(".", "::")

        return {full(module, name): function.__plugin__ for (module, name), (function, _) in declared.items()}


class Queue:
    def get_compiler(self):
        return Compiler()


class Context:
    """What a plugin may ask of the compiler."""

    def __init__(self, call=None, namespace="", plugin=""):
        self.resolver, self.owner, self.plugin = Scope(call), Here(namespace), Here(plugin)
        self.queue, self.compiler = Queue(), Compiler()

    def get_resolver(self):
        return self.resolver

    def get_compiler(self):
        return self.compiler

    def get_queue_scheduler(self):
        return self.queue

    def get_data_dir(self):
        folder = os.path.join(os.environ["TMPDIR"], "data", self.plugin.namespace.name.replace("::", "."))
        os.makedirs(folder, exist_ok=True)
        return folder

    def _refuse(self, *args, **kwargs):
        raise PluginException("it asks the orchestrator, and there is none here")

    get_client = get_sync_client = run_sync = get_environment_id = _refuse

    def __getattr__(self, name):
        raise PluginException(f"Context.{name} is not available here")


STAND_INS["inmanta.plugins"]["Context"] = Context
STAND_INS["inmanta.ast.entity"] = {"Entity": Entity}
STAND_INS["inmanta.ast.attribute"] = {"Attribute": Attribute, "RelationAttribute": RelationAttribute}


class Core:
    """The parts of inmanta-core that this program uses: its own, or the stand-ins."""

    DynamicProxy, Unknown, NoneValue, Reference, Context = DynamicProxy, Unknown, NoneValue, Reference, Context
    PluginException, UnknownException, OptionalValueException = PluginException, UnknownException, OptionalValueException
    NotFoundException, IgnoreResourceException, Resource = NotFoundException, IgnoreResourceException, Resource
    ManagedResource, Entity, Attribute, RelationAttribute = ManagedResource, Entity, Attribute, RelationAttribute
    version = None

    def resources(self):
        return registered


core = Core()
stand_ins = StandIns()


def use_core():
    """Uses the interpreter's own inmanta-core if it is there and complete."""
    try:
        import importlib.metadata

        version = importlib.metadata.version("inmanta-core")
        import inmanta.ast.attribute
        import inmanta.ast.entity
        import inmanta.execute.proxy
        import inmanta.execute.util
        import inmanta.module
        import inmanta.plugins
        import inmanta.resources
    except Exception:
        for name in [name for name in sys.modules if name.split(".")[0] == "inmanta"]:
            del sys.modules[name]
        stand_ins.tops.add("inmanta")
        return
    core.DynamicProxy = inmanta.execute.proxy.DynamicProxy
    core.Unknown, core.NoneValue = inmanta.execute.util.Unknown, inmanta.execute.util.NoneValue
    for name in ["UnknownException", "OptionalValueException", "NotFoundException", "PluginException"]:
        setattr(core, name, getattr(inmanta.ast, name, None) or getattr(inmanta.plugins, name))
    core.Entity = inmanta.ast.entity.Entity
    core.Attribute = inmanta.ast.attribute.Attribute
    core.RelationAttribute = inmanta.ast.attribute.RelationAttribute
    core.Context = inmanta.plugins.Context
    core.Resource, core.ManagedResource = inmanta.resources.Resource, inmanta.resources.ManagedResource
    core.IgnoreResourceException = inmanta.resources.IgnoreResourceException
    core.resources = lambda: inmanta.resources.resource._resources
    try:
        import inmanta.references

        core.Reference = inmanta.references.Reference
    except ImportError:
        pass
    inmanta.plugins.plugin, inmanta.plugins.deprecated = mark_plugin, mark_deprecated
    inmanta.module.Project.get = FakeProject.get
    core.version = version


# The dataclasses that were made of instances for the call at hand, each with its instance.
taken = {}


def entity_name(made):
    """The entity of a dataclass: it has the same name in the same module."""
    return f"{made.__module__.removeprefix('inmanta_plugins.')}.{made.__name__}".replace(".", "::")


def converted(value, annotation):
    """An argument as the annotation asks for it: instances become dataclasses."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType, typing.Annotated):
        for argument in arguments:
            made = converted(value, argument)
            if made is not value:
                return made
        return value
    if origin in (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection) and arguments:
        if isinstance(value, (str, Model)) or not hasattr(value, "__iter__"):
            return value
        made = [converted(item, arguments[0]) for item in value]
        return made if any(new is not old for new, old in zip(made, value)) else value
    if not (isinstance(value, core.DynamicProxy) and isinstance(annotation, type)
            and dataclasses.is_dataclass(annotation)):
        return value
    hints = hints_of(annotation)
    made = annotation(**{field.name: converted(getattr(value, field.name), hints.get(field.name, field.type))
                         for field in dataclasses.fields(annotation) if field.init})
    taken[id(made)] = (made, value)
    return made


def hints_of(thing):
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except Exception:
        return {}


# The references that were sent, by their keys.
references = {}


def reference_of(key):
    """The reference of a key; a stand-in for one that was not made here."""
    if key not in references:
        class Elsewhere(core.Reference):
            def __init__(self, key):
                self._key = key

            def resolve(self, logger):
                raise core.UnknownException(core.Unknown(None))

            def __repr__(self):
                return self._key

            def __deepcopy__(self, memo):
                return self

            __copy__ = lambda self: self

        references[key] = Elsewhere(key)
    return references[key]


def reference_key(value):
    """A text that is equal for equal references."""
    if hasattr(value, "_key"):
        return value._key
    def text(part):
        return f"<{reference_key(part)}>" if isinstance(part, core.Reference) else repr(part)

    own = {name: part for name, part in vars(value).items() if not name.startswith("_")}
    arguments = ", ".join(f"{name}={text(part)}" for name, part in sorted(own.items()))
    key = f"{type(value).__module__}.{type(value).__qualname__}({arguments})"
    references[key] = value
    return key


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
        return {"$float": repr(float(value))}
    if isinstance(value, Model):
        return {"$ref": value.id}
    if isinstance(value, core.DynamicProxy):
        return sent(value._get_instance(), depth + 1)
    if isinstance(value, core.NoneValue):
        return None
    if isinstance(value, core.Reference):
        return {"$reference": reference_key(value)}
    if isinstance(value, core.Unknown):
        return {"$unknown": True}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if id(value) in taken:
            return sent(taken[id(value)][1], depth + 1)
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


# What modules declare: by the name of their Python module and their own.
declared = {}


class Finder(importlib.abc.MetaPathFinder):
    """Modules of the project are packages below `inmanta_plugins`."""

    def folder(self, name):
        if name in folders:
            return folders[name]
        # A module of the path that the model does not import.
        package = f"inmanta-module-{name.replace('_', '-')}"
        for base in search:
            for place in [f"{name}/inmanta_plugins/{name}", f"{package}/inmanta_plugins/{name}",
                          f"inmanta_plugins/{name}", f"{name}/plugins"]:
                if os.path.isdir(os.path.join(base, place)):
                    return os.path.join(base, place)
        return None

    def find_spec(self, fullname, path=None, target=None):
        parts = fullname.split(".")
        if parts == ["inmanta_plugins"]:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = []
            return spec
        folder = self.folder(parts[1]) if parts[0] == "inmanta_plugins" else None
        if folder is None:
            return None
        place = os.path.join(folder, *parts[2:])
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


def is_context(annotation):
    return annotation in (Context, core.Context) or annotation == "Context" or (
        isinstance(annotation, str) and annotation.endswith(".Context"))


def type_text(annotation, module, inside=False):
    """The type of an annotation as the model writes it. A name in quotes inside of another type is no model type."""
    if inside and isinstance(annotation, (str, typing.ForwardRef)):
        return "any"
    if isinstance(annotation, str):
        evaluated = None
        if not annotation.replace("::", "").replace("_", "").replace("-", "").rstrip("[]?").isalnum():
            try:
                evaluated = eval(annotation, vars(module))
            except Exception:
                evaluated = None
        return annotation if evaluated is None else type_text(evaluated, module)
    if is_context(annotation):
        return "context"
    if isinstance(annotation, getattr(typing, "TypeAliasType", ())):
        return type_text(annotation.__value__, module)
    if annotation in PLAIN if isinstance(annotation, collections.abc.Hashable) else False:
        return PLAIN[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        for extra in arguments[1:]:
            if hasattr(extra, "model_type"):
                return extra.model_type
        return type_text(arguments[0], module, True)
    if origin is tuple:
        # The reference checks the parts of lists and dicts only.
        return "any"
    if origin in (typing.Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        refuse_parts(others, module)
        inner = type_text(others[0], module, True) if len(others) == 1 else "any"
        return inner if len(others) == len(arguments) or inner == "any" else inner + "?"
    if isinstance(origin, type) and issubclass(origin, collections.abc.Set):
        raise TypeError(f"invalid type {annotation}, set is not supported on the plugin boundary")
    if isinstance(origin, type) and issubclass(origin, collections.abc.Sequence):
        if origin not in (list, collections.abc.Sequence):
            raise TypeError(f"invalid type {annotation}, list types should be Sequence or list")
        inner = type_text(arguments[0], module, True) if arguments else "any"
        return "list" if inner in ("any", "list", "dict") or inner.endswith(("[]", "?")) else inner + "[]"
    if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
        if origin not in (dict, collections.abc.Mapping):
            raise TypeError(f"invalid type {annotation}, dictionary types should be Mapping or dict")
        if arguments and isinstance(arguments[0], type) and not issubclass(arguments[0], str):
            raise TypeError(f"invalid type {annotation}, the keys of any dict should be 'str', "
                            f"got {arguments[0]} instead")
        refuse_parts(arguments[1:], module)
        return "dict"
    if annotation is collections.abc.Mapping:
        return "dict"
    if annotation is collections.abc.Sequence:
        return "list"
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return entity_name(annotation)
    return "any"


def refuse_parts(parts, module):
    """Raises a TypeError if one of the parts of a type is invalid. An alias may contain itself."""
    for part in parts:
        if not isinstance(part, getattr(typing, "TypeAliasType", ())):
            type_text(part, module, True)


def load(name, part):
    """Loads one file of a module. A package that is missing is taken as a stand-in: deploying may need it."""
    full = f"inmanta_plugins.{name}" + (f".{part}" if part else "")
    place = os.path.join(folders[name], *part.split("."))
    path = os.path.join(place, "__init__.py") if os.path.isdir(place) else place + ".py"
    os.write(notes, f'  File "{path}", line 1 in <module>\n'.encode())
    while True:
        try:
            importlib.import_module(full)
            return None
        except ModuleNotFoundError as error:
            top = (error.name or "").split(".")[0]
            if not top or top in ("inmanta", "inmanta_plugins") or top in stand_ins.tops:
                return failed(error, name, part, full)
            stand_ins.tops.add(top)
            missing[top] = place_of(error) or [path, 1]
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            return failed(error, name, part, full)


def failed(error, name, part, full):
    file, line = place_of(error) or [None, None]
    return {"failed": {"module": name, "part": part, "name": full, "file": file, "line": line,
                       "class": type(error).__name__, "text": str(error)}}


def place_of(error):
    """The innermost line of a module's file that an error came through."""
    if isinstance(error, SyntaxError) and error.lineno:
        return [known_path(error.filename) or error.filename, error.lineno]
    frames = [(known_path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    frames = [[path, line] for path, line in frames if path]
    return frames[-1] if frames else None


def known_path(path):
    """A file of a module below the folder that the caller knows. Python makes paths absolute."""
    for folder in folders.values():
        begin = os.path.join(os.path.abspath(folder), "")
        if os.path.abspath(path or "").startswith(begin):
            return os.path.join(folder, os.path.abspath(path)[len(begin):])
    return None


def describe():
    """Loads every Python file of the modules, and returns the signatures of their plugins."""
    for name, parts in files.items():
        for part in parts:
            problem = load(name, part)
            if problem:
                return problem
    found = []
    for (module, name), (function, allow_unknown) in declared.items():
        if module.split(".")[1] not in files:
            continue
        signature = inspect.signature(function)
        try:
            for annotation in [*(one.annotation for one in signature.parameters.values()), signature.return_annotation]:
                type_text(annotation, sys.modules[module])
        except TypeError as error:
            # The reference refuses such a plugin as soon as its module is loaded.
            part = module.split(".", 2)[2] if module.count(".") > 1 else ""
            path = known_path(function.__code__.co_filename) or function.__code__.co_filename
            return {"failed": {"module": module.split(".")[1], "part": part, "name": f"{module}.{name}", "file": path,
                               "line": function.__code__.co_firstlineno, "class": "TypingException",
                               "text": str(error)}}
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
    return {"plugins": found, "resources": describe_resources(), "core": core.version, "install": INSTALL,
            "missing": [[name, *place] for name, place in missing.items()]}


def describe_resources():
    found = []
    for entity, (cls, options) in core.resources().items():
        parts = cls.__module__.split(".")
        if parts[0] != "inmanta_plugins" or parts[1] not in files:
            continue
        fields = [field for field in cls.fields if field not in ("references", "mutators")]
        found.append({"entity": entity, "agent": options["agent"], "id": options["name"], "fields": fields,
                      "computed": [field for field in {*fields, options["name"]} if getter(cls, field)]})
    return found


def getter(cls, field):
    """The function that computes a field, if it is the module's own."""
    function = getattr(cls, f"get_{field}", None)
    own = [getattr(base, f"get_{field}", None) for base in (core.Resource, core.ManagedResource)]
    if function is not None:
        return None if function in own else function
    return getattr(cls, "map", {}).get(field)


class Exporter:
    """What a resource class may ask of the exporter."""

    def __getattr__(self, name):
        raise PluginException(f"Exporter.{name} is not available here")


def export_resource(request):
    """The id and the computed fields of a resource."""
    entity = request["resource"]
    cls, options = core.resources()[entity]
    instance = Call(request["known"]).argument(request["instance"])
    fields, faults = [], []
    computed = [(field, getter(cls, field)) for field in request["fields"]]
    for field, function in computed:
        try:
            value = function(None if field == options["name"] else Exporter(), instance)
            fields.append([field, sent(value)])
        except core.IgnoreResourceException:
            return {"ignored": True}
        except core.UnknownException:
            fields.append([field, {"$unknown": True}])
        except Exception as error:
            faults.append({"field": field, **raised(error)})
            fields.append([field, {"$unknown": True}])
    return {"fields": fields, "faults": faults}


def raised(error):
    file, line = place_of(error) or [None, None]
    is_explicit = isinstance(error, (PluginException, core.PluginException))
    text = getattr(error, "message", None) if is_explicit else None
    top = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else None
    return {"explicit": is_explicit, "class": type(error).__name__, "text": str(text or error), "file": file,
            "line": line, "missing": top, "install": INSTALL}


def call(request):
    module, name = request["function"].rsplit(".", 1)
    function, _ = declared[(f"inmanta_plugins.{module}", name)]
    state = Call(request["known"])
    arguments = [state.argument(value) for value in request["arguments"]]
    named = {name: state.argument(value) for name, value in request["named"]}
    parameters = inspect.signature(function).parameters
    for at, parameter in enumerate(parameters.values()):
        if is_context(parameter.annotation):
            context = Context(state, request.get("namespace", ""), module)
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) and at <= len(arguments):
                arguments.insert(at, context)
            else:
                named[parameter.name] = context
    taken.clear()
    hints = hints_of(function)
    annotations = {name: hints.get(name, part.annotation) for name, part in parameters.items()}
    arguments = [converted(value, annotation) for value, annotation in zip(arguments, annotations.values())] + \
        arguments[len(annotations):]
    named = {name: converted(value, annotations.get(name)) for name, value in named.items()}
    return {"value": sent(function(*arguments, **named))}


def answered(request):
    global project
    if "load" in request:
        project = request.get("project") or os.getcwd()
        for module in request["load"]:
            folders[module["name"]] = module["folder"]
            files[module["name"]] = module["files"]
            roots[module["name"]] = os.path.abspath(module.get("root") or module["folder"])
        search.extend(request.get("path", []))
        sys.meta_path.insert(0, Finder())
        for folder in request.get("site", []):
            site.addsitedir(folder)
        for root in roots.values():
            # The packages beside `inmanta_plugins` in a checkout.
            if os.path.isdir(os.path.join(root, "inmanta_plugins")):
                sys.path.append(root)
        sys.meta_path.append(stand_ins)
        use_core()
        make_views()
        return describe()
    here = os.getcwd()
    try:
        os.chdir(project)
    except OSError:
        pass
    try:
        return export_resource(request) if "resource" in request else call(request)
    except Needed as need:
        return {"needs": [need.instance, need.name]}
    except core.UnknownException:
        return {"value": {"$unknown": True}}
    except Exception as error:
        return {"raised": raised(error)}
    finally:
        os.chdir(here)


for line in requests:
    try:
        answer = answered(json.loads(line))
        text = json.dumps(answer)
        if len(text) > LONGEST:
            text = json.dumps({"refused": "the result is too long"})
    except BaseException as error:
        text = json.dumps({"refused": f"{type(error).__name__}: {error}"})
    answers.write(text + "\n")
    answers.flush()
