//! State commands, PIPE_CONTROL and the GPGPU pipeline. Ref: SKL PRM vol. 2a; vol. 7, "GPGPU
//! Pipeline".

use crate::context::{DynamicRange, Pipeline, Vfe};
use crate::cs::streamer::{BatchRun, Flow};
use crate::dataport::MessageBases;
use crate::fate;
use crate::gpgpu::{DispatchConstants, DispatchParams};
use crate::observer::Via;
use crate::rules;
use crate::space::ADDRESS_MASK;
use crate::strict::scratch;
use eu::StopReason;
use hw::state::interface_descriptor_data as idd;
use hw::value::command::post_sync_operation;
use hw::{Packet, draw, media, register};

fn is(packet: &Packet, other: &Packet) -> bool {
    std::ptr::eq(packet, other)
}

impl BatchRun<'_> {
    pub(super) fn pipeline(
        &mut self,
        packet: &Packet,
        words: &[u32],
        at: u64,
    ) -> Result<Flow, StopReason> {
        match packet {
            p if is(p, &media::pipe_control::PACKET) => self.pipe_control(words)?,
            p if is(p, &media::state_base_address::PACKET) => self.state_base_address(words),
            p if is(p, &media::pipeline_select::PACKET) => {
                use media::pipeline_select as f;
                if f::MASK_BITS.get(words) & 3 == 3 {
                    self.context.pipeline =
                        Pipeline::from_selection(f::PIPELINE_SELECTION.get(words));
                }
            }
            p if is(p, &media::media_vfe_state::PACKET) => {
                use media::media_vfe_state as f;
                let scratch = f::SCRATCH_SPACE_BASE_POINTER.get(words);
                self.context.vfe = Vfe {
                    scratch,
                    scratch_bytes: match scratch {
                        0 => 0,
                        _ => 1024 << f::PER_THREAD_SCRATCH_SPACE.get(words),
                    },
                    max_threads: f::MAXIMUM_NUMBER_OF_THREADS.get(words) as u32,
                    curbe_bytes: f::CURBE_ALLOCATION_SIZE.get(words) * 32,
                };
            }
            p if is(p, &media::media_curbe_load::PACKET) => {
                use media::media_curbe_load as f;
                self.context.curbe = DynamicRange {
                    offset: f::CURBE_DATA_START_ADDRESS.get(words),
                    bytes: f::CURBE_TOTAL_DATA_LENGTH.get(words),
                };
            }
            p if is(p, &media::media_interface_descriptor_load::PACKET) => {
                use media::media_interface_descriptor_load as f;
                self.context.descriptors = DynamicRange {
                    offset: f::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS.get(words),
                    bytes: f::INTERFACE_DESCRIPTOR_TOTAL_LENGTH.get(words),
                };
            }
            p if is(p, &media::media_state_flush::PACKET)
                || is(p, &media::state_sip::PACKET)
                || is(p, &media::state_prefetch::PACKET)
                || is(p, &media::gpgpu_csr_base_address::PACKET) => {}
            p if is(p, &media::gpgpu_walker::PACKET) => self.walker(words, at)?,
            p if is(p, &draw::primitive::PACKET) => self.primitive(words, at)?,
            p if is(p, &media::media_object::PACKET) => {
                return Err(StopReason::Unimplemented {
                    what: p.name.into(),
                    at,
                });
            }
            p if draw::ALL.iter().any(|d| is(p, d)) => self.state_3d(p, words, at)?,
            other => {
                return Err(StopReason::Unimplemented {
                    what: other.name.into(),
                    at,
                });
            }
        }
        Ok(Flow::Continue)
    }

    fn pipe_control(&mut self, words: &[u32]) -> Result<(), StopReason> {
        use media::pipe_control as f;
        if f::INDIRECT_STATE_POINTERS_DISABLE.get(words) == 1 {
            self.context.draw.disable_constants();
        }
        let address = f::ADDRESS.get(words);
        let value = match f::POST_SYNC_OPERATION.get(words) {
            post_sync_operation::WRITE_IMMEDIATE_DATA => f::IMMEDIATE_DATA.get(words),
            post_sync_operation::WRITE_PS_DEPTH_COUNT => {
                self.context.register64(register::PS_DEPTH_COUNT)
            }
            post_sync_operation::WRITE_TIMESTAMP => self.gpu.timestamp(),
            _ => return Ok(()),
        };
        self.view
            .by(Via::PostSync, |view| view.write64(address, value))?;
        let stalls = f::COMMAND_STREAMER_STALL_ENABLE.get(words) == 1;
        if let Some(tracker) = self.tracker.as_mut().filter(|_| !stalls) {
            tracker.record_post_sync(address);
        }
        Ok(())
    }

    fn state_base_address(&mut self, words: &[u32]) {
        use media::state_base_address as f;
        let old = self.context.base;
        let base = &mut self.context.base;
        let fields = [
            (
                f::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                f::GENERAL_STATE_BASE_ADDRESS,
                &mut base.general,
            ),
            (
                f::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                f::SURFACE_STATE_BASE_ADDRESS,
                &mut base.surface,
            ),
            (
                f::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                f::DYNAMIC_STATE_BASE_ADDRESS,
                &mut base.dynamic,
            ),
            (
                f::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE,
                f::INDIRECT_OBJECT_BASE_ADDRESS,
                &mut base.indirect,
            ),
            (
                f::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE,
                f::INSTRUCTION_BASE_ADDRESS,
                &mut base.instruction,
            ),
            (
                f::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
                f::BINDLESS_SURFACE_STATE_BASE_ADDRESS,
                &mut base.bindless_surface,
            ),
        ];
        for (number, (enable, address, slot)) in fields.into_iter().enumerate() {
            if enable.get(words) == 1 {
                *slot = address.get(words) & ADDRESS_MASK;
                base.programmed |= 1 << number;
            }
        }
        if f::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE.get(words) == 1 {
            base.bindless_surfaces = f::BINDLESS_SURFACE_STATE_SIZE.get(words) as u32;
        }
        for (enable, pages, slot) in [
            (
                f::GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE,
                f::GENERAL_STATE_BUFFER_SIZE,
                &mut base.general_pages,
            ),
            (
                f::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE,
                f::DYNAMIC_STATE_BUFFER_SIZE,
                &mut base.dynamic_pages,
            ),
            (
                f::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE,
                f::INSTRUCTION_BUFFER_SIZE,
                &mut base.instruction_pages,
            ),
        ] {
            if enable.get(words) == 1 {
                *slot = Some(pages.get(words));
            }
        }
        if let Some(tracker) = &mut self.tracker {
            tracker.base_addresses(&old, &self.context.base);
        }
    }

    fn walker(&mut self, words: &[u32], at: u64) -> Result<(), StopReason> {
        use media::gpgpu_walker as f;
        if f::PREDICATE_ENABLE.get(words) == 1 && !self.context.predicate {
            return Ok(());
        }
        let get = |field: hw::Field| field.get(words) as u32;
        let mut end = [
            get(f::THREAD_GROUP_ID_X_DIMENSION),
            get(f::THREAD_GROUP_ID_Y_DIMENSION),
            get(f::THREAD_GROUP_ID_Z_DIMENSION),
        ];
        if f::INDIRECT_PARAMETER_ENABLE.get(words) == 1 {
            end = [
                self.context.register(register::GPGPU_DISPATCHDIMX),
                self.context.register(register::GPGPU_DISPATCHDIMY),
                self.context.register(register::GPGPU_DISPATCHDIMZ),
            ];
        }
        let base = self.context.base;
        let index = f::INTERFACE_DESCRIPTOR_OFFSET.get(words);
        if (index + 1) * 32 > self.context.descriptors.bytes {
            let what = format!(
                "descriptor {index} of {} bytes of descriptors",
                self.context.descriptors.bytes
            );
            return Err(rules::DESCRIPTOR_BOUNDS.stop(what, at));
        }
        let mut descriptor = [0; 8];
        let address = base.dynamic + self.context.descriptors.offset + index * 32;
        self.view.read_block(address, &mut descriptor)?;
        fate::check(&idd::PACKET, &descriptor, self.gpu.options.strict, address)?;
        if let Some(tracker) = &mut self.tracker {
            tracker.walker(words, &descriptor, self.context, self.gpu.device, at)?;
            scratch::check_walker(self.context, self.space, self.gpu.device, at)?;
        }
        let loaded = self.context.curbe;
        let indirect = f::INDIRECT_DATA_LENGTH.get(words);
        let (from, bytes) = match indirect {
            0 => (base.dynamic + loaded.offset, loaded.bytes),
            bytes => {
                let offset = f::INDIRECT_DATA_START_ADDRESS.get(words);
                (base.indirect + offset, bytes)
            }
        };
        let mut data = vec![0; (bytes / 4) as usize];
        self.view.read_block(from, &mut data)?;
        let constants = match indirect {
            0 => DispatchConstants::Curbe(data),
            _ => DispatchConstants::Indirect(data),
        };
        let table = idd::BINDING_TABLE_POINTER.get(&descriptor);
        self.dispatch(&DispatchParams {
            address: at,
            simd: 8 << get(f::SIMD_SIZE).min(2),
            first_group: [
                get(f::THREAD_GROUP_ID_STARTING_X),
                get(f::THREAD_GROUP_ID_STARTING_Y),
                get(f::THREAD_GROUP_ID_STARTING_RESUME_Z),
            ],
            end_group: end,
            counters: [
                get(f::THREAD_WIDTH_COUNTER_MAXIMUM) + 1,
                get(f::THREAD_HEIGHT_COUNTER_MAXIMUM) + 1,
                get(f::THREAD_DEPTH_COUNTER_MAXIMUM) + 1,
            ],
            right_mask: get(f::RIGHT_EXECUTION_MASK),
            bottom_mask: get(f::BOTTOM_EXECUTION_MASK),
            descriptor,
            bases: MessageBases {
                general: base.general,
                binding_table: base.surface + table,
                surface: base.surface,
                bindless: base.bindless_surface,
                dynamic: base.dynamic,
                dynamic_pages: base.dynamic_pages,
                samplers: idd::SAMPLER_STATE_POINTER.get(&descriptor),
            },
            bindless_surfaces: u64::from(base.bindless_surfaces) + 1,
            instruction_base: base.instruction,
            constants,
            scratch: (self.context.vfe.scratch, self.context.vfe.scratch_bytes),
            max_threads: self.context.vfe.max_threads + 1,
        })
    }
}

#[cfg(test)]
mod tests;
