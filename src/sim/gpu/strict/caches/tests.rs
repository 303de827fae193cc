//! Accesses that may return stale data on a real machine.

use super::*;

/// The rule that stopped an access.
fn rule<T: std::fmt::Debug>(result: Result<T, StopReason>) -> Option<&'static str> {
    match result {
        Ok(_) => None,
        Err(StopReason::Undefined { rule, .. }) => Some(rule),
        Err(other) => panic!("{other:?}"),
    }
}

/// Work that writes 100 bytes across a page's end, ended; vertex fetch and the state cache have
/// read what was there before.
fn written(via: Via, atomic: bool) -> Log {
    let log = Log::default();
    log.bound(0x1fe0, 100);
    assert_eq!(rule(log.read(0x1fe0, 100, Via::State)), None);
    log.begin(0x40);
    assert_eq!(rule(log.write(0x1fe0, 100, via, atomic)), None);
    log.end();
    log
}

const ALL: [Via; 10] = [
    Via::Commands,
    Via::Data,
    Via::Texture,
    Via::Constant,
    Via::Vertex,
    Via::Render,
    Via::Depth,
    Via::Stream,
    Via::State,
    Via::Instruction,
];

/// Invalidates the cache of an access path, if it has one.
fn invalidate(reader: Via) -> [bool; CACHES.len()] {
    CACHES.map(|cache| cache == reader)
}

fn stall() -> PipeControlEffects {
    PipeControlEffects {
        stall: true,
        ..PipeControlEffects::default()
    }
}

#[test]
fn writes_are_tracked_by_byte() {
    let log = written(Via::Data, false);
    log.begin(0x80);
    for (address, expected) in [
        (0x1fdc, None),
        (0x1fdd, Some("work-order")),
        (0x2043, Some("work-order")),
        (0x2044, None),
    ] {
        let read = log.read(address, 4, Via::Data);
        assert_eq!(rule(read), expected, "{address:#x}");
        assert_eq!(rule(log.write(address, 4, Via::Data, false)), expected);
    }
    let parts: Vec<_> = split_by_line(0x1ffe, 3).collect();
    assert_eq!(parts, [(1, 63, 3 << 62), (2, 0, 1)]);
}

#[test]
fn work_sees_its_own_writes() {
    let log = Log::default();
    log.begin(0);
    log.scratch(0x5000..0x6000);
    log.scratch(0x8000..0x8100);
    for (address, via) in [
        (0x1000, Via::Data),
        (0x5000, Via::Data),
        (0x8000, Via::Data),
        (0x1004, Via::Render),
    ] {
        assert_eq!(rule(log.write(address, 4, via, false)), None);
    }
    for reader in ALL {
        assert_eq!(rule(log.read(0x1000, 8, reader)), None);
    }
    log.end();
    // Scratch memory is private to its thread.
    log.begin(0);
    log.scratch(0x5000..0x6000);
    assert_eq!(rule(log.read(0x5000, 4, Via::Data)), None);
}

#[test]
fn atomics_may_overlap_and_streams_are_ordered() {
    let log = written(Via::Data, true);
    log.begin(0x80);
    let write = |via, atomic| rule(log.write(0x2000, 4, via, atomic));
    assert_eq!(write(Via::Data, true), None);
    assert_eq!(write(Via::Data, false), Some("work-order"));
    assert_eq!(rule(log.read(0x2000, 4, Via::Data)), Some("work-order"));
    let log = written(Via::Stream, false);
    log.begin(0x80);
    let write = |via| rule(log.write(0x2000, 4, via, false));
    assert_eq!(write(Via::Stream), None);
    assert_eq!(write(Via::Data), Some("work-order"));
}

#[test]
fn each_reader_needs_its_own_invalidation() {
    for writer in [Via::Data, Via::Stream] {
        for (reader, stale) in [
            (Via::Data, None),
            (Via::Render, None),
            (Via::Texture, Some("texture-stale")),
            (Via::Constant, Some("constant-stale")),
            (Via::Vertex, Some("vertex-stale")),
            (Via::State, Some("state-stale")),
            (Via::Instruction, Some("instruction-stale")),
            (Via::Commands, Some("commands-stale")),
        ] {
            let log = written(writer, false);
            let read = |log: &Log| rule(log.read(0x2000, 4, reader));
            let early = match reader {
                Via::Commands => stale,
                _ => Some("work-order"),
            };
            assert_eq!(read(&log), early);
            log.pipe_control(&stall());
            assert_eq!(read(&log), stale);
            // All but what it needs, then that alone.
            let own = PipeControlEffects {
                stall: true,
                data: reader == Via::Commands,
                invalidated: invalidate(reader),
                ..PipeControlEffects::default()
            };
            log.pipe_control(&PipeControlEffects {
                stall: true,
                data: !own.data,
                render: true,
                depth: true,
                invalidated: own.invalidated.map(|invalidated| !invalidated),
                ..PipeControlEffects::default()
            });
            assert_eq!(read(&log), stale);
            log.pipe_control(&own);
            assert_eq!(read(&log), None);
        }
    }
}

#[test]
fn render_and_depth_writes_need_their_flush() {
    for (writer, flush) in [(Via::Render, "render-flush"), (Via::Depth, "depth-flush")] {
        let render = writer == Via::Render;
        let own = PipeControlEffects {
            render,
            depth: !render,
            ..PipeControlEffects::default()
        };
        let other = PipeControlEffects {
            render: !render,
            depth: render,
            ..stall()
        };
        for reader in ALL {
            let log = written(writer, false);
            log.begin(0x80);
            let read = |log: &Log| rule(log.read(0x2000, 4, reader));
            let early = match reader {
                Via::Commands => Some("commands-stale"),
                same if same == writer => None,
                _ => Some(flush),
            };
            assert_eq!(read(&log), early, "{reader:?}");
            // Not enough: a stall, another cache's flush, or a flush without a stall.
            for control in [stall(), other, own] {
                log.pipe_control(&control);
                assert_eq!(read(&log), early, "{reader:?}");
            }
            log.pipe_control(&stall());
            let stale = match reader {
                Via::Texture => Some("texture-stale"),
                Via::Constant => Some("constant-stale"),
                Via::Vertex => Some("vertex-stale"),
                Via::State => Some("state-stale"),
                Via::Instruction => Some("instruction-stale"),
                _ => None,
            };
            assert_eq!(read(&log), stale, "{reader:?}");
        }
        // Writes of others clash as reads do; a flush with a stall is enough.
        let log = written(writer, false);
        let write = |log: &Log| rule(log.write(0x2000, 4, Via::Data, false));
        assert_eq!(write(&log), Some(flush));
        log.pipe_control(&PipeControlEffects { stall: true, ..own });
        assert_eq!(write(&log), None);
    }
}

#[test]
fn command_streamer_writes_need_flushes_for_other_readers() {
    let log = Log::default();
    log.bound(0x1000, 8);
    assert_eq!(rule(log.command(0x40, 16)), None);
    assert_eq!(rule(log.read(0x1000, 8, Via::State)), None);
    assert_eq!(rule(log.write(0x1000, 8, Via::Commands, false)), None);
    for reader in ALL {
        let stale = match reader {
            Via::Texture => Some("texture-stale"),
            Via::Constant => Some("constant-stale"),
            Via::Vertex => Some("vertex-stale"),
            Via::State => Some("state-stale"),
            Via::Instruction => Some("instruction-stale"),
            _ => None,
        };
        assert_eq!(rule(log.read(0x1004, 4, reader)), stale, "{reader:?}");
        assert_eq!(rule(log.read(0x1008, 4, reader)), None);
        let invalidated = invalidate(reader);
        log.pipe_control(&PipeControlEffects {
            invalidated,
            ..PipeControlEffects::default()
        });
        assert_eq!(rule(log.read(0x1004, 4, reader)), None, "{reader:?}");
    }
    // What a draw holds would later be written over what a command has written.
    for (writer, expected) in [
        (Via::Data, Some("work-order")),
        (Via::Render, Some("render-flush")),
        (Via::Depth, Some("depth-flush")),
    ] {
        let log = written(writer, false);
        let write = log.write(0x2000, 4, Via::Commands, false);
        assert_eq!(rule(write), expected);
    }
}

#[test]
fn running_work_refills_invalidated_caches() {
    let again = PipeControlEffects {
        refilled: [true; CACHES.len()],
        ..PipeControlEffects::default()
    };
    // A command's write is there at once; a shader's may still be on its way.
    for (writer, stale) in [(Via::Commands, None), (Via::Data, Some("state-stale"))] {
        let log = Log::default();
        assert_eq!(rule(log.write(0x2000, 4, writer, false)), None);
        log.end();
        log.pipe_control(&again);
        let seen = rule(log.read(0x2000, 4, Via::State));
        assert_eq!(seen.is_some(), stale.is_some(), "{writer:?}: {seen:?}");
    }
    // So may a post-sync operation's, unless it was waited for.
    for (waits_for_post_sync, fresh) in [(false, false), (true, true)] {
        let log = Log::default();
        assert_eq!(rule(log.write(0x1000, 8, Via::PostSync, false)), None);
        log.post(0x1000);
        log.pipe_control(&PipeControlEffects {
            waits_for_post_sync,
            ..again
        });
        assert_eq!(rule(log.read(0x1000, 4, Via::State)).is_none(), fresh);
    }
    // What a command wrote elsewhere does not wait for it.
    let log = Log::default();
    assert_eq!(rule(log.write(0x1000, 8, Via::PostSync, false)), None);
    log.post(0x1000);
    assert_eq!(rule(log.write(0x1008, 8, Via::Commands, false)), None);
    assert_eq!(rule(log.write(0x2000, 8, Via::Commands, false)), None);
    log.pipe_control(&again);
    assert_eq!(rule(log.read(0x1008, 4, Via::State)), None);
    assert_eq!(rule(log.read(0x2000, 4, Via::State)), None);
}

#[test]
fn post_sync_operations_need_a_wait() {
    let posted = || {
        let log = Log::default();
        assert_eq!(rule(log.write(0x1000, 8, Via::PostSync, false)), None);
        log.post(0x1000);
        log
    };
    let pending = Some("post-sync-pending");
    for reader in ALL {
        let log = posted();
        assert_eq!(rule(log.read(0x1004, 4, reader)), pending, "{reader:?}");
        assert_eq!(rule(log.read(0x1008, 4, reader)), None);
        log.pipe_control(&PipeControlEffects {
            invalidated: invalidate(reader),
            ..stall()
        });
        assert_eq!(rule(log.read(0x1004, 4, reader)), None, "{reader:?}");
    }
    let write = |log: &Log, via| rule(log.write(0x1000, 4, via, false));
    assert_eq!(write(&posted(), Via::Commands), pending);
    // Pipe Control Flush Enable waits for those of commands before, and for nothing else.
    let log = posted();
    log.pipe_control(&PipeControlEffects {
        waits_for_post_sync: true,
        ..PipeControlEffects::default()
    });
    assert_eq!(write(&log, Via::Commands), None);
    // They come in order.
    assert_eq!(write(&posted(), Via::PostSync), None);
    // A semaphore waits for it, and with it for all work before.
    let log = written(Via::Data, false);
    log.post(0x3000);
    assert!(!log.waited(0x4000));
    assert!(log.waited(0x3000));
    assert_eq!(rule(log.read(0x3000, 4, Via::Commands)), None);
    assert_eq!(rule(log.read(0x2000, 4, Via::Data)), None);
    // Not for work that began after it.
    let log = Log::default();
    log.post(0x3000);
    log.begin(0x80);
    assert_eq!(rule(log.write(0x2000, 4, Via::Data, false)), None);
    log.end();
    assert!(!log.waited(0x3000));
    assert_eq!(rule(log.read(0x2000, 4, Via::Data)), Some("work-order"));
}

#[test]
fn state_cache_holds_lines_that_were_read() {
    let invalidated = PipeControlEffects {
        invalidated: invalidate(Via::State),
        ..PipeControlEffects::default()
    };
    let write = |log: &Log, at| assert_eq!(rule(log.write(at, 16, Via::Commands, false)), None);
    let read = |log: &Log, at| rule(log.read(at, 64, Via::State));
    let log = Log::default();
    // Not read yet; read, and written again; its neighbour was not read.
    write(&log, 0x1030);
    assert_eq!(read(&log, 0x1000), None);
    write(&log, 0x1030);
    write(&log, 0x1070);
    assert_eq!(read(&log, 0x1000), Some("state-stale"));
    assert_eq!(read(&log, 0x1040), None);
    // A line that is read over and over, as a view caches its answers.
    for _ in 0..2 {
        assert!(!log.readable(1, Via::State).1);
    }
    // Invalidated: what was read before does not count.
    log.pipe_control(&invalidated);
    write(&log, 0x1030);
    assert_eq!(read(&log, 0x1000), None);
    // An invalidation while work runs leaves what that work may read again.
    log.pipe_control(&PipeControlEffects {
        refilled: invalidate(Via::State),
        ..PipeControlEffects::default()
    });
    write(&log, 0x1030);
    assert_eq!(read(&log, 0x1000), Some("state-stale"));
}

#[test]
fn vertex_cache_holds_lines_of_bound_buffers() {
    let invalidated = PipeControlEffects {
        invalidated: invalidate(Via::Vertex),
        ..stall()
    };
    let targets = PipeControlEffects {
        render: true,
        ..stall()
    };
    for writer in [Via::Commands, Via::Data, Via::Render] {
        let read = |log: &Log, address| {
            log.pipe_control(&targets);
            rule(log.read(address, 4, Via::Vertex))
        };
        let write = |log: &Log, address| {
            log.begin(0x40);
            assert_eq!(rule(log.write(address, 4, writer, false)), None);
            log.end();
        };
        // Whole lines of 64 bytes; multiple buffers, in any order.
        let log = Log::default();
        for (address, bytes) in [(0x1050, 0x20), (0x10c0, 0x40), (0x1080, 0x10)] {
            log.bound(address, bytes);
        }
        for (address, held) in [
            (0x1000, false),
            (0x103c, false),
            (0x1040, true),
            (0x107c, true),
            (0x1094, true),
            (0x10fc, true),
            (0x1100, false),
            (0x3000, false),
        ] {
            write(&log, address);
            let expected = held.then_some("vertex-stale");
            assert_eq!(read(&log, address), expected, "{writer:?} {address:#x}");
        }
        // What is bound when it has been written holds what is there; what was invalidated,
        // nothing.
        let log = Log::default();
        write(&log, 0x1040);
        log.pipe_control(&targets);
        log.bound(0x1040, 64);
        assert_eq!(read(&log, 0x1040), None);
        log.pipe_control(&invalidated);
        write(&log, 0x1040);
        assert_eq!(read(&log, 0x1040), None);
        // What was on its way to memory by then is not in the line, though nobody reads it there
        // before it is flushed.
        let log = Log::default();
        write(&log, 0x1040);
        log.bound(0x1070, 16);
        let late = (writer != Via::Commands).then_some("vertex-stale");
        assert_eq!(read(&log, 0x1040), late, "{writer:?}");
    }
}

#[test]
fn sampler_caches_aux_surface_lines() {
    let log = Log::default();
    let write = |address| {
        log.begin(0x40);
        assert_eq!(rule(log.write(address, 4, Via::Render, false)), None);
        log.end();
        log.pipe_control(&PipeControlEffects {
            render: true,
            ..stall()
        });
    };
    let control = |address| {
        log.control(address, 4);
        rule(log.read(address, 4, Via::Texture))
    };
    let stale = Some("texture-stale");
    // The first time each line is new, once; not for what is no such surface.
    for address in [0x1000, 0x1020, 0x1040] {
        write(address);
    }
    assert_eq!(rule(log.read(0x1020, 4, Via::Texture)), stale);
    assert_eq!(control(0x1000), None);
    assert_eq!(control(0x1020), None);
    write(0x1020);
    assert_eq!(control(0x1000), None);
    assert_eq!(control(0x1020), stale);
    assert_eq!(control(0x1040), None);
    let invalidated = invalidate(Via::Texture);
    log.pipe_control(&PipeControlEffects {
        invalidated,
        ..stall()
    });
    write(0x1020);
    assert_eq!(control(0x1020), None);
    // What is on its way to memory is not there yet.
    log.begin(0x40);
    assert_eq!(rule(log.write(0x1080, 4, Via::Render, false)), None);
    log.end();
    assert_eq!(control(0x1080), Some("render-flush"));
}

#[test]
fn vertex_cache_tags_are_32_bits() {
    let log = Log::default();
    let far = 5 << 32;
    let read = |buffer, address| rule(log.fetched(buffer, address, 16));
    assert_eq!(read(0, 0x1fc0), None);
    assert_eq!(read(0, far | 0x2000), None);
    assert_eq!(read(1, far | 0x1fc0), None);
    assert_eq!(read(0, far | 0x1ff0), Some("vertex-tag"));
    // Also by the last byte.
    assert_eq!(read(0, far | 0x1fb8), Some("vertex-tag"));
    log.pipe_control(&stall());
    assert_eq!(read(0, far | 0x1ff0), Some("vertex-tag"));
    let invalidated = invalidate(Via::Vertex);
    log.pipe_control(&PipeControlEffects {
        invalidated,
        ..PipeControlEffects::default()
    });
    assert_eq!(read(0, far | 0x1ff0), None);
}

#[test]
fn pipe_control_reports_its_effects() {
    let none = Log::default().pipe_control(&stall());
    assert_eq!(none, Found::default());
    for (writer, cache) in [(Via::Data, 0), (Via::Render, 1), (Via::Depth, 2)] {
        let log = written(writer, false);
        let found = log.pipe_control(&PipeControlEffects {
            render: true,
            depth: true,
            ..PipeControlEffects::default()
        });
        let mut dirty = [false; 3];
        dirty[cache] = true;
        let open = writer == Via::Data;
        let stale = [true; CACHES.len()];
        let posted = false;
        assert_eq!(
            found,
            Found {
                dirty,
                stale,
                open,
                posted
            }
        );
        // What was flushed is on its way.
        let found = log.pipe_control(&PipeControlEffects {
            data: true,
            ..stall()
        });
        assert!(found.open);
        let found = log.pipe_control(&stall());
        assert_eq!(
            found,
            Found {
                stale,
                ..Found::default()
            }
        );
    }
}

#[test]
fn post_sync_operations_are_outstanding_until_waited_for() {
    let log = Log::default();
    log.post(0x1000);
    let waits_for_post_sync = PipeControlEffects {
        waits_for_post_sync: true,
        ..PipeControlEffects::default()
    };
    let found = || log.pipe_control(&waits_for_post_sync).posted;
    assert_eq!([found(), found()], [true, false]);
}

/// A tracker that returns stale data, and its address space.
fn old() -> (Log, AddressSpace) {
    let mut space = AddressSpace::new();
    let memory = crate::testing::memory(0x2000);
    space.map(0x1000, 0x2000, memory, 0).expect("free");
    (
        Log::with_resolve_tracker(Arc::default(), &space, true),
        space,
    )
}

#[test]
fn unresolved_depth_reads_return_the_stale_depth() {
    let (log, space) = old();
    let view = |via| AddressSpaceView::watched(&space, Some(&log), via);
    AddressSpaceView::new(&space)
        .write(0x1100, 1)
        .expect("mapped");
    AddressSpaceView::new(&space)
        .write(0x1104, 2)
        .expect("mapped");
    let depth = view(Via::Hierarchical);
    log.begin(0x40);
    depth.depth(0x1000, Depth::Held([0, 2]));
    for (address, value) in [(0x1100, 8), (0x1100, 9), (0x1104, 9)] {
        depth.write(address, value).expect("in order");
    }
    log.end();
    log.pipe_control(&PipeControlEffects {
        depth: true,
        ..stall()
    });
    log.pipe_control(&PipeControlEffects {
        invalidated: [true; CACHES.len()],
        ..stall()
    });
    let seen = |via, address| view(via).read(address).expect("delivered");
    for via in [Via::Texture, Via::Data, Via::Depth, Via::Commands] {
        assert_eq!(seen(via, 0x1100), 1, "{via:?}");
    }
    assert_eq!(seen(Via::Hierarchical, 0x1100), 9);
    // Another slice is resolved, and a part of this one is written past the hierarchical depth
    // buffer.
    depth.depth(0x1000, Depth::Resolved([0, 1]));
    view(Via::Commands).write(0x1104, 5).expect("in order");
    assert_eq!([0x1100, 0x1104].map(|at| seen(Via::Data, at)), [1, 5]);
    depth.depth(0x1000, Depth::Resolved([0, 2]));
    assert_eq!([0x1100, 0x1104].map(|at| seen(Via::Data, at)), [9, 5]);
}

const FIRST_SLICE: Slices = Slices {
    levels: [0, 1],
    elements: [0, 1],
};

fn two_pages() -> AddressSpace {
    let mut space = AddressSpace::new();
    let memory = crate::testing::memory(0x2000);
    space.map(0x1000, 0x2000, memory, 0).expect("free");
    space
}

#[test]
fn overwritten_surfaces_lose_their_resolve_state() {
    let space = two_pages();
    let all = FIRST_SLICE;
    // Which bytes of the surface's first line, how, and whether its slices are forgotten.
    for (via, bytes, forgotten) in [
        (Via::Data, 64, true),
        (Via::Stream, 64, true),
        (Via::Data, 60, false),
        (Via::Depth, 64, false),
    ] {
        let log = Log::with_resolve_tracker(Arc::default(), &space, false);
        let view = |via| AddressSpaceView::watched(&space, Some(&log), via);
        let data = view(via);
        data.depth(0x1040, Depth::Held([0, 0]));
        data.depth(0x1040, Depth::HizValid([0, 0]));
        data.colour(0x1040, Colour::Held([0, 0]));
        // A neighbour is not meant.
        data.depth(0x1080, Depth::Held([0, 0]));
        log.begin(0x40);
        for at in (0x1040..0x1040 + bytes).step_by(4) {
            data.write(at, 1).expect("nobody else");
        }
        log.end();
        let seen = [
            data.depth_seen(0x1040, all, 0x80).is_ok(),
            data.colour_seen(0x1040, all, 0x80).is_ok(),
            data.depth_through(0x1040, all, 0x80).is_err(),
        ];
        assert_eq!(seen, [forgotten; 3], "{bytes} bytes by {via:?}");
        assert!(data.depth_seen(0x1080, all, 0x80).is_err());
    }
}

#[test]
fn changed_first_lines_drop_the_resolve_state() {
    let space = two_pages();
    let all = FIRST_SLICE;
    let log = Log::with_resolve_tracker(Arc::default(), &space, false);
    let view = |via| AddressSpaceView::watched(&space, Some(&log), via);
    let work = |via, value| {
        log.begin(0x40);
        if via == Via::Hierarchical {
            view(via).depth(0x1000, Depth::Held([0, 0]));
        }
        view(via).write(0x1008, value).expect("in order");
        log.end();
        log.pipe_control(&PipeControlEffects {
            depth: true,
            data: true,
            ..stall()
        });
    };
    let seen = || view(Via::Data).depth_seen(0x1000, all, 0x80).is_ok();
    work(Via::Hierarchical, 7);
    assert!(!seen());
    // A part of the first line is written past the hierarchical buffer, as it was, and otherwise.
    work(Via::Data, 7);
    assert!(!seen());
    work(Via::Data, 8);
    assert!(seen());
    // It is a depth buffer again.
    work(Via::Hierarchical, 9);
    assert!(!seen());
    // A CPU write is not reported.
    AddressSpaceView::new(&space)
        .write(0x1000, 1)
        .expect("mapped");
    assert!(seen());
}

#[test]
fn stale_reads_return_the_old_contents() {
    for (writer, reader, control) in [
        (Via::Data, Via::Texture, stall()),
        (Via::Data, Via::Commands, stall()),
        (Via::Stream, Via::Vertex, stall()),
        (Via::Render, Via::Data, stall()),
        (Via::Depth, Via::Texture, stall()),
        (Via::Commands, Via::State, PipeControlEffects::default()),
    ] {
        let (log, space) = old();
        let view = |via| AddressSpaceView::watched(&space, Some(&log), via);
        view(Via::Vertex).bound(0x1ffc, 8);
        let mut before = [0; 2];
        view(Via::State)
            .read_block(0x1ffc, &mut before)
            .expect("mapped");
        AddressSpaceView::new(&space)
            .write(0x1ffc, 0x0403_0201)
            .expect("mapped");
        log.begin(0x40);
        let first = view(writer);
        first.write_bytes(0x1ffd, 2, 0xbbaa).expect("in order");
        // A second write of the same work is not what was there before.
        first.write_bytes(0x1ffd, 1, 0xcc).expect("in order");
        first.write(0x2000, 7).expect("in order");
        log.end();
        log.pipe_control(&control);
        let read = |via| view(via).read(0x1ffc).expect("delivered");
        assert_eq!(read(reader), 0x0403_0201, "{reader:?} after {writer:?}");
        let mut block = [0; 2];
        view(reader)
            .read_block(0x1ffc, &mut block)
            .expect("delivered");
        assert_eq!(block, [0x0403_0201, 0]);
        assert_eq!(view(reader).read_bytes(0x1ffd, 2), Ok(0x0302));
        if writer != Via::Commands {
            assert_eq!(read(writer), 0x04bb_cc01);
        }
        // Flushed, waited for and invalidated.
        let all = PipeControlEffects {
            data: true,
            render: true,
            depth: true,
            ..stall()
        };
        log.pipe_control(&all);
        log.pipe_control(&PipeControlEffects {
            invalidated: [true; CACHES.len()],
            ..PipeControlEffects::default()
        });
        assert_eq!(read(reader), 0x04bb_cc01);
    }
}

#[test]
fn races_stop_even_when_stale_data_is_delivered() {
    let (log, space) = old();
    log.begin(0x40);
    let view = AddressSpaceView::watched(&space, Some(&log), Via::Data);
    view.write(0x1000, 1).expect("in order");
    log.end();
    assert_eq!(rule(view.read(0x1000)), Some("work-order"));
}

#[test]
fn command_prefetch_reads_stale_memory() {
    let ahead = Some("command-prefetch");
    let after = |bytes: u64, jumps: bool| {
        let log = Log::default();
        assert_eq!(rule(log.command(0x1000, 16)), None);
        assert_eq!(rule(log.write(0x2008, 4, Via::Commands, false)), None);
        assert_eq!(rule(log.command(0x1010, bytes)), None);
        if jumps {
            log.jump();
        }
        rule(log.command(0x2000, 12))
    };
    assert_eq!(after(16, false), ahead);
    assert_eq!(after(508, false), ahead);
    assert_eq!(after(512, false), None);
    assert_eq!(after(16, true), None);
    let log = Log::default();
    assert_eq!(rule(log.write(0x200c, 4, Via::Commands, false)), None);
    assert_eq!(rule(log.command(0x2000, 12)), None);
}

/// Whole pages of memory from 0x1000 on.
fn pages() -> AddressSpace {
    let mut space = AddressSpace::new();
    let memory = crate::testing::memory(0x4000);
    space.map(0x1000, 0x4000, memory, 0).expect("free");
    space
}

#[test]
fn cached_page_views_end_with_the_work() {
    let (space, log) = (pages(), Log::default());
    let watch: Option<&dyn Watch> = Some(&log);
    let [data, render] =
        [Via::Data, Via::Render].map(|via| AddressSpaceView::watched(&space, watch, via));
    let texture = AddressSpaceView::watched(&space, watch, Via::Texture);
    log.begin(0x40);
    for view in [&data, &texture] {
        assert_eq!(rule(view.read(0x1000)), None);
        assert_eq!(rule(view.read(0x1100)), None);
    }
    // The second write to a page is noted without the log's being asked.
    for address in [0x1000, 0x1010, 0x10fc] {
        assert_eq!(rule(data.write(address, 1)), None);
        assert_eq!(rule(render.write(address + 0x1000, 1)), None);
    }
    let four = [0x1200, 0x1204, 0x1280, 0x1284];
    assert_eq!(rule(data.write_four(four, 0b0111, [5; 4])), None);
    assert_eq!(data.read_four(four), Ok([5, 5, 5, 0]));
    log.end();
    log.begin(0x80);
    for (address, expected) in [
        (0x1000, Some("work-order")),
        (0x1004, None),
        (0x1010, Some("work-order")),
        (0x10fc, Some("work-order")),
        (0x1204, Some("work-order")),
        (0x1284, None),
    ] {
        assert_eq!(rule(data.read(address)), expected, "{address:#x}");
        assert_eq!(rule(data.write(address, 2)), expected, "{address:#x}");
        let flushed = expected
            .map(|_| "render-flush")
            .filter(|_| address < 0x1200);
        assert_eq!(rule(data.read(address + 0x1000)), flushed, "{address:#x}");
    }
    log.end();
    // Who waits in the middle of what a view has seen is seen by it.
    let all = PipeControlEffects {
        data: true,
        render: true,
        invalidated: [true; CACHES.len()],
        ..stall()
    };
    log.pipe_control(&all);
    for address in [0x1000, 0x1010, 0x2000, 0x1204] {
        for view in [&data, &texture, &render] {
            assert_eq!(rule(view.read(address)), None, "{address:#x}");
        }
    }
    // A post-sync operation is to come.
    log.post(0x1008);
    assert_eq!(rule(data.read(0x1008)), Some("post-sync-pending"));
    assert_eq!(rule(data.read(0x1000)), None);
}

#[test]
fn scratch_accesses_are_not_tracked() {
    let (space, log) = (pages(), Log::default());
    let watch: Option<&dyn Watch> = Some(&log);
    let data = AddressSpaceView::watched(&space, watch, Via::Data);
    log.begin(0x40);
    assert_eq!(rule(data.write(0x1000, 1)), None);
    log.scratch(0x1100..0x1200);
    assert_eq!(rule(data.write(0x1100, 1)), None);
    assert_eq!(rule(data.write(0x1200, 1)), None);
    log.end();
    log.begin(0x80);
    assert_eq!(rule(data.read(0x1100)), None);
    assert_eq!(rule(data.read(0x1000)), Some("work-order"));
    assert_eq!(rule(data.read(0x1200)), Some("work-order"));
}

#[test]
fn whole_page_writes_are_tracked_per_byte() {
    let (space, log) = (pages(), Log::default());
    let watch: Option<&dyn Watch> = Some(&log);
    let [render, texture] =
        [Via::Render, Via::Texture].map(|via| AddressSpaceView::watched(&space, watch, via));
    log.begin(0x40);
    for address in (0x1000..0x3000).step_by(64) {
        assert_eq!(rule(render.write_block(address, &[7; 16])), None);
    }
    log.end();
    let none = log.pipe_control(&PipeControlEffects::default());
    assert_eq!(none.dirty, [false, true, false]);
    // A command writes four bytes of a page.
    log.begin(0x80);
    assert_eq!(rule(texture.read(0x2ffc)), Some("render-flush"));
    log.end();
    let all = PipeControlEffects {
        render: true,
        invalidated: invalidate(Via::Texture),
        ..stall()
    };
    log.pipe_control(&all);
    assert_eq!(rule(log.write(0x1804, 4, Via::Commands, false)), None);
    log.begin(0xc0);
    for (address, expected) in [
        (0x1000, None),
        (0x1800, None),
        (0x1804, Some("texture-stale")),
        (0x1808, None),
        (0x2804, None),
    ] {
        assert_eq!(rule(texture.read(address)), expected, "{address:#x}");
    }
    log.end();
    let again = log.pipe_control(&PipeControlEffects::default());
    assert!(again.stale[TEXTURE] && !again.dirty.contains(&true));
}
