//! Writes small SPIR-V modules: one compute entry point, storage buffers of dwords, push constants of dwords.
//!
//! In:  instructions, one call each. Out: words. Ref: SPIR-V specification, "Physical Layout of a SPIR-V Module".

use spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Op,
    SelectionControl, StorageClass,
};

/// A result id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(u32);

/// A module being written.
#[derive(Debug)]
pub struct Module {
    annotations: Vec<u32>,
    globals: Vec<u32>,
    body: Vec<u32>,
    next: u32,
    void: u32,
    boolean: u32,
    uint: u32,
    uint_in_buffer: u32,
    uint_in_push: u32,
    buffers: Vec<u32>,
    push: u32,
    invocation: u32,
    constants: Vec<(u32, u32)>,
}

fn put(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend_from_slice(operands);
}

/// Invocations of a workgroup of every internal shader.
pub const WORKGROUP: u32 = 64;

impl Module {
    /// A module with `buffers` storage buffers at set 0, bindings 0 on, and `push_dw` dwords of push constants.
    pub fn new(buffers: u32, push_dw: u32) -> Self {
        let mut module = Self {
            annotations: Vec::new(),
            globals: Vec::new(),
            body: Vec::new(),
            next: 1,
            void: 0,
            boolean: 0,
            uint: 0,
            uint_in_buffer: 0,
            uint_in_push: 0,
            buffers: Vec::new(),
            push: 0,
            invocation: 0,
            constants: Vec::new(),
        };
        module.void = module.global(Op::TypeVoid, &[]);
        module.boolean = module.global(Op::TypeBool, &[]);
        module.uint = module.global(Op::TypeInt, &[32, 0]);
        let uint = module.uint;
        let vector = module.global(Op::TypeVector, &[uint, 3]);
        let pointer = module.global(Op::TypePointer, &[StorageClass::Input as u32, vector]);
        module.invocation = module.variable(pointer, StorageClass::Input);
        let invocation = module.invocation;
        module.decorate(invocation, Decoration::BuiltIn, &[BuiltIn::GlobalInvocationId as u32]);
        let array = module.global(Op::TypeRuntimeArray, &[uint]);
        module.decorate(array, Decoration::ArrayStride, &[4]);
        let block = module.global(Op::TypeStruct, &[array]);
        module.decorate(block, Decoration::Block, &[]);
        module.decorate_member(block, 0, 0);
        let class = StorageClass::StorageBuffer;
        let pointer = module.global(Op::TypePointer, &[class as u32, block]);
        module.uint_in_buffer = module.global(Op::TypePointer, &[class as u32, uint]);
        for binding in 0..buffers {
            let buffer = module.variable(pointer, class);
            module.decorate(buffer, Decoration::DescriptorSet, &[0]);
            module.decorate(buffer, Decoration::Binding, &[binding]);
            module.buffers.push(buffer);
        }
        let block = module.global(Op::TypeStruct, &vec![uint; push_dw as usize]);
        module.decorate(block, Decoration::Block, &[]);
        for member in 0..push_dw {
            module.decorate_member(block, member, member * 4);
        }
        let class = StorageClass::PushConstant;
        let pointer = module.global(Op::TypePointer, &[class as u32, block]);
        module.uint_in_push = module.global(Op::TypePointer, &[class as u32, uint]);
        module.push = module.variable(pointer, class);
        module
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn global(&mut self, op: Op, operands: &[u32]) -> u32 {
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        put(&mut self.globals, op, &all);
        id
    }

    fn variable(&mut self, pointer: u32, class: StorageClass) -> u32 {
        let id = self.id();
        put(&mut self.globals, Op::Variable, &[pointer, id, class as u32]);
        id
    }

    fn decorate(&mut self, target: u32, decoration: Decoration, operands: &[u32]) {
        let mut all = vec![target, decoration as u32];
        all.extend_from_slice(operands);
        put(&mut self.annotations, Op::Decorate, &all);
    }

    fn decorate_member(&mut self, block: u32, member: u32, offset_bytes: u32) {
        let operands = [block, member, Decoration::Offset as u32, offset_bytes];
        put(&mut self.annotations, Op::MemberDecorate, &operands);
    }

    fn result(&mut self, op: Op, ty: u32, operands: &[u32]) -> Value {
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        put(&mut self.body, op, &all);
        Value(id)
    }

    /// A 32-bit constant.
    pub fn constant(&mut self, value: u32) -> Value {
        if let Some(&(_, id)) = self.constants.iter().find(|(known, _)| *known == value) {
            return Value(id);
        }
        let (ty, id) = (self.uint, self.id());
        put(&mut self.globals, Op::Constant, &[ty, id, value]);
        self.constants.push((value, id));
        Value(id)
    }

    /// A dword result of two dwords.
    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ty = self.uint;
        self.result(op, ty, &[a.0, b.0])
    }

    /// The complement.
    pub fn not(&mut self, a: Value) -> Value {
        let ty = self.uint;
        self.result(Op::Not, ty, &[a.0])
    }

    /// A comparison.
    pub fn compare(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ty = self.boolean;
        self.result(op, ty, &[a.0, b.0])
    }

    /// `condition ? a : b`.
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = self.uint;
        self.result(Op::Select, ty, &[condition.0, a.0, b.0])
    }

    /// The smaller.
    pub fn min(&mut self, a: Value, b: Value) -> Value {
        let less = self.compare(Op::ULessThan, a, b);
        self.select(less, a, b)
    }

    /// The larger.
    pub fn max(&mut self, a: Value, b: Value) -> Value {
        let less = self.compare(Op::ULessThan, a, b);
        self.select(less, b, a)
    }

    /// x of gl_GlobalInvocationID.
    pub fn invocation(&mut self) -> Value {
        let (ty, variable) = (self.uint, self.invocation);
        let pointer_ty = self.pointer_to_uint_input();
        let zero = self.constant(0);
        let pointer = self.result(Op::AccessChain, pointer_ty, &[variable, zero.0]);
        self.result(Op::Load, ty, &[pointer.0])
    }

    fn pointer_to_uint_input(&mut self) -> u32 {
        let uint = self.uint;
        self.global(Op::TypePointer, &[StorageClass::Input as u32, uint])
    }

    /// A dword of the push constants.
    pub fn push(&mut self, member: u32) -> Value {
        let (ty, pointer_ty, variable) = (self.uint, self.uint_in_push, self.push);
        let member = self.constant(member);
        let pointer = self.result(Op::AccessChain, pointer_ty, &[variable, member.0]);
        self.result(Op::Load, ty, &[pointer.0])
    }

    fn element(&mut self, buffer: usize, index: Value) -> Value {
        let (pointer_ty, zero) = (self.uint_in_buffer, self.constant(0));
        let variable = self.buffers.get(buffer).copied().unwrap_or_default();
        self.result(Op::AccessChain, pointer_ty, &[variable, zero.0, index.0])
    }

    /// Reads a dword of a buffer.
    pub fn load(&mut self, buffer: usize, index: Value) -> Value {
        let (ty, pointer) = (self.uint, self.element(buffer, index));
        self.result(Op::Load, ty, &[pointer.0])
    }

    /// Writes a dword of a buffer.
    pub fn store(&mut self, buffer: usize, index: Value, value: Value) {
        let pointer = self.element(buffer, index);
        put(&mut self.body, Op::Store, &[pointer.0, value.0]);
    }

    /// An atomic operation (scope device, relaxed) on a dword of a buffer.
    pub fn atomic(&mut self, op: Op, buffer: usize, index: Value, value: Value) {
        let (ty, pointer) = (self.uint, self.element(buffer, index));
        let (scope, semantics) = (self.constant(spirv::Scope::Device as u32), self.constant(0));
        self.result(op, ty, &[pointer.0, scope.0, semantics.0, value.0]);
    }

    /// Runs `then` where the condition holds, and `otherwise` elsewhere.
    pub fn branch(&mut self, condition: Value, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let (yes, no, merge) = (self.id(), self.id(), self.id());
        put(&mut self.body, Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        put(&mut self.body, Op::BranchConditional, &[condition.0, yes, no]);
        put(&mut self.body, Op::Label, &[yes]);
        then(self);
        put(&mut self.body, Op::Branch, &[merge]);
        put(&mut self.body, Op::Label, &[no]);
        otherwise(self);
        put(&mut self.body, Op::Branch, &[merge]);
        put(&mut self.body, Op::Label, &[merge]);
    }

    /// The words.
    pub fn finish(mut self) -> Vec<u32> {
        let void = self.void;
        let signature = self.global(Op::TypeFunction, &[void]);
        let (main, label) = (self.id(), self.id());
        let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0300, 0, self.next, 0];
        put(&mut words, Op::Capability, &[Capability::Shader as u32]);
        put(&mut words, Op::MemoryModel, &[AddressingModel::Logical as u32, MemoryModel::GLSL450 as u32]);
        let name = [u32::from_le_bytes(*b"main"), 0];
        let entry = [ExecutionModel::GLCompute as u32, main, name[0], name[1], self.invocation];
        put(&mut words, Op::EntryPoint, &entry);
        put(&mut words, Op::ExecutionMode, &[main, ExecutionMode::LocalSize as u32, WORKGROUP, 1, 1]);
        words.append(&mut self.annotations);
        words.append(&mut self.globals);
        put(&mut words, Op::Function, &[void, main, FunctionControl::NONE.bits(), signature]);
        put(&mut words, Op::Label, &[label]);
        words.append(&mut self.body);
        put(&mut words, Op::Return, &[]);
        put(&mut words, Op::FunctionEnd, &[]);
        words
    }
}
