//! The rows of `ingot bench record`: sequences of Vulkan calls, the same for every driver.

use super::callgrind::Callgrind;
use super::calls::{Bench, Outcome, TIMES};
use super::draws::Pipeline;
use ash::vk;

/// Which commands of a row are counted in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submits {
    /// None: the row records nothing.
    Nothing,
    /// The one command buffer.
    One,
    /// All small command buffers at once.
    Small,
}

/// A row of the table.
pub struct Row {
    /// Name of the calls.
    pub name: &'static str,
    /// The commands in a recording of it: [`Row::times`] dispatches or draws.
    pub submits: Submits,
    /// Repetitions between two readings of the clock.
    pub times: usize,
    before: fn(&Bench) -> Outcome,
    measured: fn(&Bench) -> Outcome,
    after: fn(&Bench) -> Outcome,
}

/// Calls within one command buffer, whose begin and end are not measured.
const fn recorded(name: &'static str, measured: fn(&Bench) -> Outcome) -> Row {
    Row {
        name,
        submits: Submits::One,
        times: TIMES,
        before: Bench::begin_bound,
        measured,
        after: Bench::end,
    }
}

/// Calls within a render pass, after everything is bound and one draw.
const fn drawn(name: &'static str, measured: fn(&Bench) -> Outcome) -> Row {
    Row {
        before: Bench::begin_pass,
        after: Bench::end_pass,
        ..recorded(name, measured)
    }
}

/// Whole render passes; everything is bound before.
const fn passes(name: &'static str, measured: fn(&Bench) -> Outcome) -> Row {
    Row {
        before: Bench::begin_drawing,
        ..recorded(name, measured)
    }
}

/// Calls outside command buffers.
const fn plain(name: &'static str, measured: fn(&Bench) -> Outcome) -> Row {
    Row {
        name,
        submits: Submits::Nothing,
        times: TIMES,
        before: Bench::nothing,
        measured,
        after: Bench::nothing,
    }
}

/// The table. Rows of new kinds of commands go here.
pub const ROWS: &[Row] = &[
    recorded("update, bind, push, barrier, dispatch", Bench::full_mix),
    recorded("dispatch with nothing changed", |b| {
        b.times(|_| b.dispatch())
    }),
    recorded("push, dispatch", |b| {
        b.times(|i| {
            b.push(i);
            b.dispatch();
        })
    }),
    recorded("bind, dispatch", |b| {
        b.times(|i| {
            b.bind(i);
            b.dispatch();
        })
    }),
    recorded("barrier, dispatch", |b| {
        b.times(|_| {
            b.barrier();
            b.dispatch();
        })
    }),
    recorded("independent: bind, push, dispatch", |b| {
        b.times(|i| {
            b.bind(i);
            b.push(i);
            b.dispatch();
        })
    }),
    recorded("bind a pipeline, dispatch", |b| {
        b.times(|i| {
            b.bind_pipeline(i);
            b.dispatch();
        })
    }),
    recorded("dispatch indirect", |b| b.times(|_| b.dispatch_indirect())),
    Row {
        // ANV's batches return from secondaries by jumps that they patch while they run: a
        // recording does not show where to.
        submits: Submits::Nothing,
        ..recorded("execute a secondary of one dispatch", |b| {
            b.times(|_| b.execute_secondary())
        })
    },
    plain("update a set of two buffers", |b| b.times(|i| b.update(i))),
    plain("begin, end of an empty command buffer", |b| {
        b.try_times(|_| b.begin().and_then(|()| b.end()))
    }),
    Row {
        submits: Submits::Small,
        ..plain("record a small command buffer", |b| {
            b.try_times(|i| b.small_command_buffer(i))
        })
    },
    Row {
        after: Bench::wait,
        ..plain("submit 1000 small ones at once, each", Bench::submit_all)
    },
    Row {
        after: Bench::wait,
        ..plain("submit one", |b| b.try_times(|i| b.submit(i)))
    },
    Row {
        after: Bench::wait,
        ..plain("submit one with a fence, wait", |b| {
            b.try_times(|i| b.submit_and_wait(i))
        })
    },
    plain("create, destroy a buffer", |b| {
        b.try_times(|_| b.make_buffer())
    }),
    plain("create, destroy a fence", |b| {
        b.try_times(|_| b.make_fence())
    }),
    plain("create, destroy a semaphore", |b| {
        b.try_times(|_| b.make_semaphore())
    }),
    plain("create, destroy a set layout", |b| {
        b.try_times(|_| b.make_set_layout())
    }),
    plain("create, destroy a pipeline layout", |b| {
        b.try_times(|_| b.make_pipeline_layout())
    }),
    plain("create, destroy a descriptor pool of 64 sets", |b| {
        b.try_times(|_| b.make_descriptor_pool())
    }),
    plain("allocate, free a set", |b| {
        b.try_times(|_| b.allocate_set())
    }),
    plain("allocate, free a command buffer", |b| {
        b.try_times(|_| b.allocate_command_buffer())
    }),
    plain("allocate, map, free memory of 64 KiB", |b| {
        b.try_times(|_| b.allocate_memory())
    }),
    drawn("draw with nothing changed", |b| {
        b.draws(|d, to, _| d.draw(to))
    }),
    drawn("push, draw", |b| {
        b.draws(|d, to, i| {
            d.push(to, i);
            d.draw(to);
        })
    }),
    drawn("bind a set, draw", |b| {
        b.draws(|d, to, i| {
            d.bind_set(to, i);
            d.draw(to);
        })
    }),
    drawn("bind vertices, draw", |b| {
        b.draws(|d, to, i| {
            d.bind_vertices(to, i);
            d.draw(to);
        })
    }),
    drawn("set viewport and scissor, draw", |b| {
        b.draws(|d, to, i| {
            d.set_viewport(to, i);
            d.draw(to);
        })
    }),
    drawn("set blend constants, stencil reference, draw", |b| {
        b.draws(|d, to, i| {
            d.set_constants(to, i);
            d.draw(to);
        })
    }),
    drawn("bind a pipeline of other state, draw", |b| {
        b.draws(|d, to, i| {
            d.bind_pipeline(to, [Pipeline::First, Pipeline::OtherState][i % 2]);
            d.draw(to);
        })
    }),
    drawn("bind a pipeline of other shaders, draw", |b| {
        b.draws(|d, to, i| {
            d.bind_pipeline(to, [Pipeline::First, Pipeline::OtherShader][i % 2]);
            d.draw(to);
        })
    }),
    drawn("bind set, vertices, indices, push, draw indexed", |b| {
        b.draws(|d, to, i| {
            d.bind_set(to, i);
            d.bind_vertices(to, i);
            d.bind_indices(to);
            d.push(to, i);
            d.draw_indexed(to);
        })
    }),
    drawn("draw indirect", |b| b.draws(|d, to, _| d.draw_indirect(to))),
    drawn("clear an attachment", |b| {
        b.draws(|d, to, _| d.clear_attachment(to))
    }),
    passes("a render pass: begin, draw, end", |b| {
        b.draws(|d, to, _| {
            d.begin_pass(to, false);
            d.draw(to);
            d.end_pass(to);
        })
    }),
    passes("a pass that clears, all bound, and a barrier", |b| {
        b.draws(|d, to, _| {
            d.begin_pass(to, true);
            d.bind_all(to);
            d.draw(to);
            d.end_pass(to);
            d.barrier(to);
        })
    }),
    recorded("copy a buffer", |b| {
        b.draws(|d, to, i| d.copy_buffer(to, i))
    }),
    recorded("copy a buffer to an image", |b| {
        b.draws(|d, to, i| d.copy_to_image(to, i))
    }),
    recorded("copy an image", |b| b.draws(|d, to, i| d.copy_image(to, i))),
    recorded("blit an image", |b| b.draws(|d, to, _| d.blit_image(to))),
    recorded("clear an image", |b| b.draws(|d, to, _| d.clear_image(to))),
    plain("update a set of a buffer and a picture", |b| {
        b.draws(|d, _, i| d.update(i))
    }),
    plain("create, destroy an image", |b| {
        b.try_draws(TIMES, |d| d.make_image())
    }),
    plain("create, destroy a view", |b| {
        b.try_draws(TIMES, |d| d.make_view())
    }),
    Row {
        times: 20,
        ..plain("create, destroy a graphics pipeline", |b| {
            b.try_draws(20, |d| d.make_new_pipeline())
        })
    },
    Row {
        before: |b| b.try_draws(1, |d| d.make_cached_pipeline()),
        ..plain("create, destroy a graphics pipeline from a cache", |b| {
            b.try_draws(TIMES, |d| d.make_cached_pipeline())
        })
    },
    Row {
        before: |b| b.make_cached_pipeline(),
        ..plain("create, destroy a compute pipeline from a cache", |b| {
            b.try_times(|_| b.make_cached_pipeline())
        })
    },
];

impl Row {
    /// Runs the row once; returns the CPU time of the measured part in ns, divided by
    /// [`Row::times`].
    pub fn time(&self, bench: &Bench) -> Result<f64, String> {
        let result = (self.before)(bench).and_then(|()| {
            Callgrind::Toggle.ask();
            let start = sys::process_cpu_ns();
            (self.measured)(bench)?;
            let end = sys::process_cpu_ns();
            Callgrind::Toggle.ask();
            Callgrind::Dump.ask();
            (self.after)(bench)?;
            Ok((end - start) as f64 / self.times as f64)
        });
        result.map_err(|e: vk::Result| format!("{}: {e:?}", self.name))
    }

    /// Runs the row once and submits the recorded commands.
    pub fn submit(&self, bench: &Bench) -> Result<(), String> {
        self.time(bench)?;
        let submitted = match self.submits {
            Submits::Nothing => return Ok(()),
            Submits::One => bench.submit_main(),
            Submits::Small => bench.submit_all(),
        };
        submitted
            .and_then(|()| bench.wait())
            .map_err(|e| format!("{}: {e:?}", self.name))
    }
}
