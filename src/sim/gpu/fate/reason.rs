//! The reasons why no result depends on a field.
//!
//! In:  nothing. Out: one sentence for each reason, used by the tables.

macro_rules! reasons {
    ($($name:ident $text:literal;)*) => {
        $(pub(super) const $name: &str = $text;)*
    };
}

#[rustfmt::skip]
reasons! {
    IN_ORDER "it has commands wait for others, and this machine executes each to its end before the next";
    COHERENT "it chooses or cleans a cache between GPU and memory, and this machine's memory has no other copy";
    VIDEO "caches of the video engine, which is not the render engine's";
    INTERRUPT "it tells the kernel, which here waits for the batch itself";
    TLB "this machine has no TLB: each access looks up the address space as it is";
    NOTE "a number for people who read the batch, as long as its register write is off";
    PREEMPTION "where the machine saves threads that are interrupted; here none is";
    EXCEPTIONS "where threads go at an exception; enabling one is refused";
    PREFETCH "how much is fetched ahead; what is not is fetched when it is asked for";
    STACK "how much of a thread's scratch is a stack is between its kernel and a debugger; messages address scratch as a whole";
    TIMER "a timer that no message here reads";
    MEDIA "it is about MEDIA_OBJECT or messages of the media block kind, which are not simulated";
    PLACE "which part of the machine runs a thread shows in no result";
    POWER "a hint about power";
    MOCS "which caches hold the data; memory has no other copy here, and what is stale is told by flushes alone";
    REPLACED "from gen8 on the machine takes it from another command";
    OFF "it counts only beside another field, whose use is refused";
    EARLY "it drops early what is dropped in any case";
    SCHEDULING "in which order, and how many at once, threads run shows in no result that is defined";
    VERTEX_CACHE "a vertex that is shaded again comes out the same";
    HINT "a hint to the hardware";
    HS_PRIMITIVE_ID "R0.1 of a SINGLE_PATCH thread has it always; other dispatch modes are refused";
    COUNTS "no statistics register counts what it is about";
    SMOOTH "how soft the edges of smooth lines are; they are drawn by the area they cover";
    RASTER_API "lines are told apart by DX Multisample Rasterization Enable and Antialiasing Enable, with either mode";
    DENORMS "threads begin with denormals flushed in both modes; kernels that want others set them";
    SAME_BITS "another field is the same bits, and a unit asks for that";
    CHICKEN "how the machine does what it does: the bit buys time, or cures a fault of the machine that this one does not have";
    GLK_BARRIERS "which of a part's barriers serve in which mode; here all do in both";
    NOTIFIED "threads at a barrier go on when all are there";
    SPAWNER "no thread starts others, and none holds what it would have to give back";
    EVICTION "it gives up a line of a cache that would be read again from memory";
    FENCE "what a thread has written is there for all threads before its next message";
    QUALITY "how much work a filter saves by approximating; here it saves none";
}
