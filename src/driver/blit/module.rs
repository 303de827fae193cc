//! Writes small SPIR-V modules: one compute entry point, storage buffers of dwords, push constants of dwords.
//!
//! In:  instructions, one call each. Out: words. Ref: SPIR-V specification, "Physical Layout of a SPIR-V Module".

/// Opcodes of SPIR-V that are used here. Ref: SPIR-V specification, "Instructions".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    MemoryModel = 14,
    EntryPoint = 15,
    ExecutionMode = 16,
    Capability = 17,
    TypeVoid = 19,
    TypeBool = 20,
    TypeInt = 21,
    TypeVector = 23,
    TypeRuntimeArray = 29,
    TypeStruct = 30,
    TypePointer = 32,
    TypeFunction = 33,
    Constant = 43,
    Function = 54,
    FunctionEnd = 56,
    Variable = 59,
    Load = 61,
    Store = 62,
    AccessChain = 65,
    Decorate = 71,
    MemberDecorate = 72,
    IAdd = 128,
    ISub = 130,
    IMul = 132,
    Select = 169,
    IEqual = 170,
    INotEqual = 171,
    ULessThan = 176,
    ShiftRightLogical = 194,
    ShiftLeftLogical = 196,
    BitwiseOr = 197,
    BitwiseAnd = 199,
    Not = 200,
    AtomicAnd = 240,
    AtomicOr = 241,
    SelectionMerge = 247,
    Label = 248,
    Branch = 249,
    BranchConditional = 250,
    Return = 253,
}

/// Enumerants of SPIR-V that are used here.
mod enumerant {
    pub const MAGIC: u32 = 0x0723_0203;
    pub const VERSION_1_3: u32 = 0x0001_0300;
    pub const CAPABILITY_SHADER: u32 = 1;
    pub const ADDRESSING_LOGICAL: u32 = 0;
    pub const MEMORY_GLSL450: u32 = 1;
    pub const EXECUTION_GLCOMPUTE: u32 = 5;
    pub const MODE_LOCAL_SIZE: u32 = 17;
    pub const BUILT_IN_GLOBAL_INVOCATION_ID: u32 = 28;
    pub const SCOPE_DEVICE: u32 = 1;
    pub const CLASS_INPUT: u32 = 1;
    pub const CLASS_PUSH_CONSTANT: u32 = 9;
    pub const CLASS_STORAGE_BUFFER: u32 = 12;
    pub const DECORATION_BLOCK: u32 = 2;
    pub const DECORATION_ARRAY_STRIDE: u32 = 6;
    pub const DECORATION_BUILT_IN: u32 = 11;
    pub const DECORATION_BINDING: u32 = 33;
    pub const DECORATION_DESCRIPTOR_SET: u32 = 34;
    pub const DECORATION_OFFSET: u32 = 35;
}

use enumerant as e;

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
        let pointer = module.global(Op::TypePointer, &[e::CLASS_INPUT, vector]);
        module.invocation = module.variable(pointer, e::CLASS_INPUT);
        let invocation = module.invocation;
        module.decorate(
            invocation,
            e::DECORATION_BUILT_IN,
            &[e::BUILT_IN_GLOBAL_INVOCATION_ID],
        );
        let array = module.global(Op::TypeRuntimeArray, &[uint]);
        module.decorate(array, e::DECORATION_ARRAY_STRIDE, &[4]);
        let block = module.global(Op::TypeStruct, &[array]);
        module.decorate(block, e::DECORATION_BLOCK, &[]);
        module.decorate_member(block, 0, 0);
        let class = e::CLASS_STORAGE_BUFFER;
        let pointer = module.global(Op::TypePointer, &[class, block]);
        module.uint_in_buffer = module.global(Op::TypePointer, &[class, uint]);
        for binding in 0..buffers {
            let buffer = module.variable(pointer, class);
            module.decorate(buffer, e::DECORATION_DESCRIPTOR_SET, &[0]);
            module.decorate(buffer, e::DECORATION_BINDING, &[binding]);
            module.buffers.push(buffer);
        }
        let block = module.global(Op::TypeStruct, &vec![uint; push_dw as usize]);
        module.decorate(block, e::DECORATION_BLOCK, &[]);
        for member in 0..push_dw {
            module.decorate_member(block, member, member * 4);
        }
        let class = e::CLASS_PUSH_CONSTANT;
        let pointer = module.global(Op::TypePointer, &[class, block]);
        module.uint_in_push = module.global(Op::TypePointer, &[class, uint]);
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

    fn variable(&mut self, pointer: u32, class: u32) -> u32 {
        let id = self.id();
        put(&mut self.globals, Op::Variable, &[pointer, id, class]);
        id
    }

    fn decorate(&mut self, target: u32, decoration: u32, operands: &[u32]) {
        let mut all = vec![target, decoration];
        all.extend_from_slice(operands);
        put(&mut self.annotations, Op::Decorate, &all);
    }

    fn decorate_member(&mut self, block: u32, member: u32, offset_bytes: u32) {
        let operands = [block, member, e::DECORATION_OFFSET, offset_bytes];
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
        self.global(Op::TypePointer, &[e::CLASS_INPUT, uint])
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
        let (scope, semantics) = (self.constant(e::SCOPE_DEVICE), self.constant(0));
        self.result(op, ty, &[pointer.0, scope.0, semantics.0, value.0]);
    }

    /// Runs `then` where the condition holds, and `otherwise` elsewhere.
    pub fn branch(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let (yes, no, merge) = (self.id(), self.id(), self.id());
        put(&mut self.body, Op::SelectionMerge, &[merge, 0]);
        put(
            &mut self.body,
            Op::BranchConditional,
            &[condition.0, yes, no],
        );
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
        let mut words = vec![e::MAGIC, e::VERSION_1_3, 0, self.next, 0];
        put(&mut words, Op::Capability, &[e::CAPABILITY_SHADER]);
        put(
            &mut words,
            Op::MemoryModel,
            &[e::ADDRESSING_LOGICAL, e::MEMORY_GLSL450],
        );
        let name = [u32::from_le_bytes(*b"main"), 0];
        let entry = [
            e::EXECUTION_GLCOMPUTE,
            main,
            name[0],
            name[1],
            self.invocation,
        ];
        put(&mut words, Op::EntryPoint, &entry);
        put(
            &mut words,
            Op::ExecutionMode,
            &[main, e::MODE_LOCAL_SIZE, WORKGROUP, 1, 1],
        );
        words.append(&mut self.annotations);
        words.append(&mut self.globals);
        put(&mut words, Op::Function, &[void, main, 0, signature]);
        put(&mut words, Op::Label, &[label]);
        words.append(&mut self.body);
        put(&mut words, Op::Return, &[]);
        put(&mut words, Op::FunctionEnd, &[]);
        words
    }
}
