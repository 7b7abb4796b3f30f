//! Emits statements and expressions: makes their tasks, and collects the dependencies.

use super::super::ast::{BlockId, Kind, NodeId};
use super::super::define::Info;
use super::super::error::Raise;
use super::task::{Dependencies, Hook, HookTarget, Key, Ready, Work, with_statement};
use super::variable::{DISCARDED, VarKind};
use super::{BlockPromise, CollectorId, Flow, Machine, Run, Scope, ScopeId, VarId};

impl Machine<'_> {
    pub(super) fn emit_block(&mut self, block: BlockId, scope: ScopeId) -> Run<()> {
        let program = self.program;
        for statement in &program.ast.block(block).statements {
            self.emit_statement(*statement, scope)
                .map_err(|flow| with_statement(flow, program.ast.span(*statement), false))?;
        }
        Ok(())
    }

    fn emit_statement(&mut self, node: NodeId, scope: ScopeId) -> Run<()> {
        match self.program.ast.kind(node) {
            Kind::Assign { name, value } => {
                let target = self.lookup(scope, name.sym)?;
                self.emit_expression(*value, scope, target, node)
            }
            Kind::SetAttribute { of, .. } => {
                let mut dependencies = Dependencies::default();
                self.emit(*of, scope, &mut dependencies)?;
                self.new_task(scope, dependencies, Work::FindInstance { statement: node });
                Ok(())
            }
            _ => self.emit_expression(node, scope, DISCARDED, node),
        }
    }

    pub(super) fn emit_expression(&mut self, node: NodeId, scope: ScopeId, target: VarId, owner: NodeId) -> Run<()> {
        let mut dependencies = Dependencies::default();
        self.emit(node, scope, &mut dependencies)?;
        self.new_execution(scope, dependencies, node, target, owner);
        Ok(())
    }

    pub(super) fn emit(&mut self, node: NodeId, scope: ScopeId, dependencies: &mut Dependencies) -> Run<()> {
        self.emit_with(node, scope, false, dependencies)
    }

    /// Collects the dependencies of an expression. With `passes_unset`, a missing optional value on the way to an attribute is no error.
    pub(super) fn emit_with(
        &mut self,
        node: NodeId,
        scope: ScopeId,
        passes_unset: bool,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        let program = self.program;
        match program.ast.kind(node) {
            Kind::Name(sym) => {
                let var = self.lookup(scope, *sym).map_err(|mut raise| {
                    raise.edit = raise.edit.or(Some(program.ast.span(node)));
                    raise
                })?;
                dependencies.var(Key::Name(*sym), var);
                Ok(())
            }
            Kind::Attribute { .. } => self.emit_attribute(node, scope, None, passes_unset, dependencies),
            Kind::Literal(_) | Kind::Skipped | Kind::Element(_) => Ok(()),
            Kind::List(items) => self.emit_all(items.iter().copied(), node, scope, dependencies),
            Kind::Dict(items) => self.emit_all(items.iter().map(|(_, item)| *item), node, scope, dependencies),
            Kind::Format { parts, .. } | Kind::FormatStr { parts, .. } => {
                self.emit_all(parts.iter().map(|(part, _)| *part), node, scope, dependencies)
            }
            Kind::Lookup { map, key } => self.emit_all([*map, *key].into_iter(), node, scope, dependencies),
            Kind::Binary { left, right, .. } => self.emit_all([*left, *right].into_iter(), node, scope, dependencies),
            Kind::Not(inner) | Kind::Regex { of: inner, .. } => {
                self.emit_all(std::iter::once(*inner), node, scope, dependencies)
            }
            Kind::Spread(inner) => self.emit(*inner, scope, dependencies),
            Kind::And(left, _) | Kind::Or(left, _) => {
                let target = self.new_passing(VarKind::Flag);
                let mut inner = Dependencies::default();
                self.emit(*left, scope, &mut inner)?;
                self.new_task(scope, inner, Work::Lazy { node, target });
                dependencies.var(Key::Node(node), target);
                Ok(())
            }
            Kind::IsDefined { of, name } => {
                // Set at the first value, and once more when the list is complete.
                let target = self.add_var();
                let collector = self.new_is_defined(node, target);
                let hook =
                    Hook { of: *of, name: *name, target: HookTarget::IsDefined(collector), passes_unset: false, node };
                self.schedule_hook(hook, scope)?;
                dependencies.var(Key::Node(node), target);
                Ok(())
            }
            Kind::Conditional { .. } => self.emit_conditional(node, scope, None, dependencies),
            Kind::Comprehension { .. } => self.emit_comprehension(node, scope, None, dependencies),
            Kind::Call { positional, arguments, .. } => {
                let result = self.new_passing(VarKind::Plain);
                let mut inner = Dependencies::default();
                let named = arguments.named.iter().map(|(_, value)| *value);
                let all = positional.iter().copied().chain(named).chain(arguments.spread.iter().copied());
                self.emit_all(all, node, scope, &mut inner)?;
                let base = inner.len() as u32;
                self.new_task(scope, inner, Work::Call { node, result, base, arguments: None });
                dependencies.var(Key::Node(node), result);
                Ok(())
            }
            Kind::IndexLookup { query, .. } => {
                let target = match program.info(node) {
                    Info::Index(entity) => self.new_passing(VarKind::Instance(entity)),
                    _ => self.new_passing(VarKind::Plain),
                };
                let named = query.named.iter().map(|(_, value)| *value);
                self.emit_lookup(node, named.chain(query.spread.iter().copied()), scope, target, dependencies)
            }
            Kind::ShortIndexLookup { of, query, .. } => {
                let target = self.new_passing(VarKind::Plain);
                let named = query.named.iter().map(|(_, value)| *value);
                let all = named.chain(std::iter::once(*of)).chain(query.spread.iter().copied());
                self.emit_lookup(node, all, scope, target, dependencies)
            }
            Kind::New { arguments, .. } => {
                let Info::New(at) = program.info(node) else { return Ok(()) };
                let construction = &program.constructions[at as usize];
                for (_, value) in &construction.direct {
                    self.emit(*value, scope, dependencies)?;
                }
                for spread in &arguments.spread {
                    self.emit(*spread, scope, dependencies)?;
                }
                if let Some((around, _)) = construction.around {
                    self.emit(around, scope, dependencies)?;
                }
                Ok(())
            }
            Kind::For { list, .. } => {
                self.emit_promises(node, scope, dependencies)?;
                let collector = self.new_loop(node, scope);
                self.emit_gradual(*list, scope, collector, dependencies)
            }
            Kind::If { condition, .. } => {
                self.emit_promises(node, scope, dependencies)?;
                self.emit(*condition, scope, dependencies)
            }
            Kind::Implement(number) => {
                let implement = &program.implements[*number as usize];
                if matches!(program.ast.kind(implement.condition), Kind::Literal(_)) {
                    return Ok(());
                }
                let inner = self.new_scope(Scope::Namespace { parent: scope, ns: implement.ns });
                self.emit(implement.condition, inner, dependencies).map_err(|flow| match flow {
                    Flow::Raise(raise) if raise.class == super::Class::NotFound => {
                        with_statement(Flow::Raise(raise), implement.span, true)
                    }
                    other => other,
                })
            }
            Kind::Assign { .. } | Kind::SetAttribute { .. } => Ok(()),
        }
    }

    fn emit_all(
        &mut self,
        nodes: impl Iterator<Item = NodeId>,
        owner: NodeId,
        scope: ScopeId,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        for node in nodes {
            self.emit(node, scope, dependencies)
                .map_err(|flow| with_statement(flow, self.program.ast.span(owner), false))?;
        }
        Ok(())
    }

    fn emit_lookup(
        &mut self,
        node: NodeId,
        below: impl Iterator<Item = NodeId>,
        scope: ScopeId,
        target: VarId,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        let mut inner = Dependencies::default();
        self.emit_all(below, node, scope, &mut inner)?;
        self.new_task(scope, inner, Work::LookUp { node, target });
        dependencies.var(Key::Node(node), target);
        Ok(())
    }

    fn emit_attribute(
        &mut self,
        node: NodeId,
        scope: ScopeId,
        collector: Option<CollectorId>,
        passes_unset: bool,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        let program = self.program;
        let span = program.ast.span(node);
        let Kind::Attribute { of, name } = program.ast.kind(node) else { return Ok(()) };
        let proxy = self.new_proxy(collector.map(|collector| (collector, span)));
        let target = HookTarget::Proxy(proxy);
        self.schedule_hook(Hook { of: Some(*of), name: name.sym, target, passes_unset, node }, scope)?;
        dependencies.var(Key::Node(node), proxy);
        Ok(())
    }

    fn emit_conditional(
        &mut self,
        node: NodeId,
        scope: ScopeId,
        lhs: Option<CollectorId>,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        let Kind::Conditional { condition, .. } = self.program.ast.kind(node) else { return Ok(()) };
        let target = self.new_passing(VarKind::Plain);
        let mut inner = Dependencies::default();
        self.emit(*condition, scope, &mut inner)?;
        self.new_task(scope, inner, Work::Choose { node, target, lhs, taken: None });
        dependencies.var(Key::Node(node), target);
        Ok(())
    }

    fn emit_comprehension(
        &mut self,
        node: NodeId,
        scope: ScopeId,
        lhs: Option<CollectorId>,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        let Kind::Comprehension { list, .. } = self.program.ast.kind(node) else { return Ok(()) };
        let result = self.new_passing(VarKind::Plain);
        let collector = self.new_comprehension(node, scope, lhs, result);
        let mut inner = Dependencies::default();
        match lhs {
            None => self.emit(*list, scope, &mut inner)?,
            Some(_) => self.emit_gradual(*list, scope, collector, &mut inner)?,
        }
        self.new_task(scope, inner, Work::Comprehend { node, collector });
        dependencies.var(Key::Node(node), result);
        Ok(())
    }

    /// The same as `emit`, for one that takes the values as they come.
    pub(super) fn emit_gradual(
        &mut self,
        node: NodeId,
        scope: ScopeId,
        collector: CollectorId,
        dependencies: &mut Dependencies,
    ) -> Run<()> {
        let program = self.program;
        match program.ast.kind(node) {
            Kind::Name(sym) => {
                let var = self.lookup(scope, *sym)?;
                dependencies.var(Key::Name(*sym), var);
                if !self.listen(var, collector, program.ast.span(node))? {
                    dependencies.collector(node, collector);
                }
                Ok(())
            }
            Kind::Attribute { .. } => self.emit_attribute(node, scope, Some(collector), false, dependencies),
            Kind::List(items) => {
                if items.is_empty() {
                    return Ok(());
                }
                let list = self.new_literal_list();
                for item in items {
                    let mut inner = Dependencies::default();
                    self.emit_gradual(*item, scope, collector, &mut inner)?;
                    self.new_execution(scope, inner, *item, list, node);
                }
                dependencies.var(Key::Node(node), list);
                Ok(())
            }
            Kind::Conditional { .. } => self.emit_conditional(node, scope, Some(collector), dependencies),
            Kind::Comprehension { .. } => self.emit_comprehension(node, scope, Some(collector), dependencies),
            Kind::Skipped => Ok(()),
            _ => {
                self.emit(node, scope, dependencies)?;
                dependencies.collector(node, collector);
                Ok(())
            }
        }
    }

    fn emit_promises(&mut self, node: NodeId, scope: ScopeId, dependencies: &mut Dependencies) -> Run<()> {
        let program = self.program;
        let Some(promises) = program.promises.get(&node) else { return Ok(()) };
        let first = self.block_promises.len() as u32;
        for _ in promises {
            self.block_promises.push(BlockPromise { var: None, is_tracked: false, is_fulfilled: false });
        }
        for (at, promise) in promises.iter().enumerate() {
            let hook = Hook {
                of: Some(promise.of),
                name: promise.attribute,
                target: HookTarget::Promise(first + at as u32),
                passes_unset: true,
                node: promise.statement,
            };
            self.schedule_hook(hook, scope)?;
        }
        dependencies.promises(node, first);
        Ok(())
    }

    /// Fulfils the promises of a statement that runs.
    pub(super) fn fulfil_promises(&mut self, node: NodeId, ready: &Ready) {
        let Some(first) = ready.promises(node) else { return };
        let count = self.program.promises.get(&node).map_or(0, |promises| promises.len() as u32);
        for at in first..first + count {
            let promise = &mut self.block_promises[at as usize];
            if promise.is_fulfilled {
                continue;
            }
            promise.is_fulfilled = true;
            let (var, is_tracked) = (promise.var, promise.is_tracked);
            if let Some(var) = var
                && is_tracked
            {
                self.fulfil(var, true, None);
            }
        }
    }

    pub(super) fn raise<T>(&self, raise: Box<Raise>) -> Run<T> {
        Err(raise.into())
    }
}
