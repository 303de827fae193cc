//! Pixels: covered samples of an object to depth, stencil and render targets.
//!
//! In:  a [`Setup`] and its [`Subspan`]s. Out: threads dispatched, messages carried out, memory written.
//! Objects come one after the other, and a thread ends before the next begins, so what blends is in order. One sample for
//! each pixel; more are a gap.
//! Ref: SKL PRM vol. 7, "Windower (WM) Stage", "Pixel Shader Thread Dispatch", "Render Target Write".

mod blend;
mod clear;
mod depth;
mod payload;
mod target;

pub(crate) use clear::hz_op;
pub(crate) use depth::targets as depth_targets;

use super::exec::{Draw, Executor, Shader, Stage};
use super::object::{Setup, Subspan};
use crate::memory::View;
use crate::profile::StageWork;
use crate::strict::Via;
use crate::surface::{Image, Kind};
use crate::targets::Role;
use blend::Blend;
use depth::DepthStencil;
use eu::{Message, Reply, Stop};
use hw::draw::{
    state_binding_table_pointers_ps as table, state_blend_state_pointers as blend_pointer,
    state_cc_state_pointers as cc_pointer, state_multisample as multisample, state_ps as ps,
    state_ps_blend as ps_blend, state_ps_extra as extra, state_raster as raster,
    state_sample_mask as sample_mask, state_sampler_state_pointers_ps as samplers,
    state_viewport_state_pointers_cc as cc_viewport_pointer, state_wm as wm,
};
use hw::draw_state::{blend_state, cc_viewport, color_calc_state as cc};
use payload::Layout;
use target::Target;

/// What the pixel pipeline counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Samples that passed the depth test, where 3DSTATE_WM counts.
    pub samples_passed: u64,
    pub invocations: u64,
}

/// Kernels by width: 8 and 16 channels.
struct Variant<'a> {
    executor: Executor<'a>,
    layout: Layout,
    width: usize,
}

/// The units behind the rasteriser, for one draw.
pub(crate) struct Pixels<'a> {
    /// Narrow first.
    variants: Vec<Variant<'a>>,
    back: Back<'a>,
    vector_mask: bool,
    payload: Vec<u32>,
    statistics: bool,
    invocations: u64,
    lit: Vec<Subspan>,
}

/// What threads talk to, and what stands behind them.
struct Back<'a> {
    view: View<'a>,
    at: u64,
    depth: DepthStencil<'a>,
    /// Depth and stencil are tested before the shader runs.
    early: bool,
    /// The shader's own depth replaces the object's.
    own_depth: bool,
    own_mask: bool,
    /// Depths are clamped to this range by viewport.
    ranges: Vec<(f32, f32)>,
    clamps: bool,
    blend_entries: Vec<Blend>,
    constant: [f32; 4],
    binding_table: u64,
    surface_base: u64,
    targets: Vec<(u64, Option<Target>)>,
    /// Those of them that are surfaces.
    written: Vec<(Role, Image)>,
    fast_clear: Option<FastClear>,
    centre: f64,
    samples_passed: u64,
    /// The thread at work: its object's facts and pixels.
    thread: Thread,
}

/// What a write to a render target means instead of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FastClear {
    Clear,
    Resolve,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    subspans: Vec<Subspan>,
    mask: u32,
    /// Channels that passed late tests; none before the first render target write.
    passed: Option<u32>,
    depths: [f32; 16],
    layer: u32,
    viewport: usize,
    front_facing: bool,
    /// The object without its attributes, for the pixel interpolator.
    object: Option<Setup>,
}

impl Thread {
    fn place(&self, lane: usize) -> Option<[u32; 3]> {
        let subspan = self.subspans.get(lane / 4)?;
        let (dx, dy) = (lane as u32 & 1, lane as u32 >> 1 & 1);
        Some([subspan.x + dx, subspan.y + dy, self.layer])
    }
}

fn gap<T>(at: u64, what: &str) -> Result<T, Stop> {
    Err(Stop::Unimplemented {
        what: what.into(),
        at,
    })
}

impl<'a> Pixels<'a> {
    /// Reads the state. `constants` are the stage's push constants.
    pub fn new(draw: Draw<'a>, constants: Vec<u32>) -> Result<Pixels<'a>, Stop> {
        let get = |field| draw.state.get(&ps::PACKET, field);
        let flag = |field| draw.state.flag(&ps::PACKET, field);
        let asks = |field| draw.state.flag(&extra::PACKET, field);
        let samples = draw
            .state
            .get(&multisample::PACKET, multisample::NUMBER_OF_MULTISAMPLES);
        if samples != 0 {
            return gap(draw.at, "more than one sample of a pixel");
        }
        let valid = asks(extra::PIXEL_SHADER_VALID);
        for (field, what) in [
            (
                extra::PIXEL_SHADER_IS_PER_SAMPLE,
                "a pixel shader for each sample",
            ),
            (
                extra::PIXEL_SHADER_COMPUTES_STENCIL,
                "a stencil reference from the pixel shader",
            ),
        ] {
            if valid && asks(field) {
                return gap(draw.at, what);
            }
        }
        let wm_get = |field| draw.state.get(&wm::PACKET, field);
        let mut variants = Vec::new();
        let narrow = flag(ps::N8_PIXEL_DISPATCH_ENABLE);
        let wide = flag(ps::N16_PIXEL_DISPATCH_ENABLE);
        if valid && !narrow && !wide {
            return gap(draw.at, "a pixel shader of 32 channels alone");
        }
        let view = draw.view(Via::Render);
        let centre = match draw
            .state
            .get(&multisample::PACKET, multisample::PIXEL_LOCATION)
        {
            0 => 0.5,
            _ => 0.0,
        };
        let kernels = [
            (
                8,
                narrow,
                ps::KERNEL_START_POINTER_0,
                ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0,
            ),
            (
                16,
                wide,
                if narrow {
                    ps::KERNEL_START_POINTER_2
                } else {
                    ps::KERNEL_START_POINTER_0
                },
                if narrow {
                    ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_2
                } else {
                    ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0
                },
            ),
        ];
        let scratch = get(ps::SCRATCH_SPACE_BASE_POINTER);
        let binding_table = draw
            .state
            .get(&table::PACKET, table::POINTER_TO_PS_BINDING_TABLE);
        let sampler_states = draw
            .state
            .get(&samplers::PACKET, samplers::POINTER_TO_PS_SAMPLER_STATE);
        for (width, enabled, kernel, start) in kernels {
            if !valid || !enabled {
                continue;
            }
            let shader = Shader {
                kernel: get(kernel),
                binding_table,
                samplers: sampler_states,
                scratch,
                scratch_bytes: match scratch {
                    0 => 0,
                    _ => 1024 << get(ps::PER_THREAD_SCRATCH_SPACE),
                },
                alternate_floats: get(ps::FLOATING_POINT_MODE) == 1,
            };
            let executor = Executor::new(draw, shader)?;
            let layout = Layout {
                modes: wm_get(wm::BARYCENTRIC_INTERPOLATION_MODE) as u32,
                depth: asks(extra::PIXEL_SHADER_USES_SOURCE_DEPTH),
                w: asks(extra::PIXEL_SHADER_USES_SOURCE_W),
                offsets: get(ps::POSITION_XY_OFFSET_SELECT) != 0,
                coverage: draw
                    .state
                    .get(&extra::PACKET, extra::INPUT_COVERAGE_MASK_STATE)
                    != 0,
                start: get(start) as usize,
                constants: match flag(ps::PUSH_CONSTANT_ENABLE) {
                    true => constants.clone(),
                    false => Vec::new(),
                },
                attributes: asks(extra::ATTRIBUTE_ENABLE),
                scratch: executor.scratch(),
                samplers: sampler_states as u32,
                centre,
            };
            variants.push(Variant {
                executor,
                layout,
                width,
            });
        }
        let own_depth = draw
            .state
            .get(&extra::PACKET, extra::PIXEL_SHADER_COMPUTED_DEPTH_MODE)
            != 0
            && valid;
        let kills =
            asks(extra::PIXEL_SHADER_KILLS_PIXEL) || asks(extra::OMASK_PRESENT_TO_RENDER_TARGET);
        let blending = draw
            .state
            .get(&ps_blend::PACKET, ps_blend::ALPHA_TO_COVERAGE_ENABLE)
            == 1
            || draw
                .state
                .flag(&ps_blend::PACKET, ps_blend::ALPHA_TEST_ENABLE);
        if blending {
            return gap(draw.at, "alpha to coverage, or an alpha test");
        }
        let control = wm_get(wm::EARLY_DEPTH_STENCIL_CONTROL);
        let early = match control {
            // PREPS.
            2 => true,
            // PSEXEC.
            1 => false,
            _ => !(kills || own_depth) || !valid,
        };
        let clip_z = [
            raster::VIEWPORT_Z_NEAR_CLIP_TEST_ENABLE,
            raster::VIEWPORT_Z_FAR_CLIP_TEST_ENABLE,
        ];
        let clamps = clip_z.iter().any(|f| !draw.state.flag(&raster::PACKET, *f)) || own_depth;
        let dynamic = draw.base.dynamic;
        let mut ranges = Vec::new();
        let viewports = draw.state.get(
            &cc_viewport_pointer::PACKET,
            cc_viewport_pointer::CC_VIEWPORT_POINTER,
        );
        for i in 0..16 {
            let mut words = [0; 2];
            if view
                .read_block(dynamic + viewports + i * 8, &mut words)
                .is_err()
            {
                break;
            }
            let float = |field: hw::Field| f32::from_bits(field.get(&words) as u32);
            ranges.push((
                float(cc_viewport::MINIMUM_DEPTH),
                float(cc_viewport::MAXIMUM_DEPTH),
            ));
        }
        let mut blend_entries = Vec::new();
        if draw.state.flag(
            &blend_pointer::PACKET,
            blend_pointer::BLEND_STATE_POINTER_VALID,
        ) {
            let at = dynamic
                + draw
                    .state
                    .get(&blend_pointer::PACKET, blend_pointer::BLEND_STATE_POINTER);
            let mut head = [0];
            view.read_block(at, &mut head)?;
            let independent = blend_state::INDEPENDENT_ALPHA_BLEND_ENABLE.get(&head) == 1;
            if blend_state::ALPHA_TO_ONE_ENABLE.get(&head) == 1
                || blend_state::ALPHA_TO_COVERAGE_ENABLE.get(&head) == 1
            {
                return gap(draw.at, "alpha to one or to coverage");
            }
            for i in 0..8 {
                let mut words = [0; 2];
                if view.read_block(at + 4 + i * 8, &mut words).is_err() {
                    break;
                }
                blend_entries.push(Blend::read(&words, independent));
            }
        }
        let mut constant = [0.0; 4];
        if draw.state.flag(
            &cc_pointer::PACKET,
            cc_pointer::COLOR_CALC_STATE_POINTER_VALID,
        ) {
            let at = dynamic
                + draw
                    .state
                    .get(&cc_pointer::PACKET, cc_pointer::COLOR_CALC_STATE_POINTER);
            let mut words = [0; 6];
            view.read_block(at, &mut words)?;
            constant = [
                cc::BLEND_CONSTANT_COLOR_RED,
                cc::BLEND_CONSTANT_COLOR_GREEN,
                cc::BLEND_CONSTANT_COLOR_BLUE,
                cc::BLEND_CONSTANT_COLOR_ALPHA,
            ]
            .map(|field| f32::from_bits(field.get(&words) as u32));
        }
        let fast_clear = match (
            flag(ps::RENDER_TARGET_FAST_CLEAR_ENABLE),
            get(ps::RENDER_TARGET_RESOLVE_TYPE),
        ) {
            (true, _) => Some(FastClear::Clear),
            (false, 0) => None,
            _ => Some(FastClear::Resolve),
        };
        let masked = draw
            .state
            .get(&sample_mask::PACKET, sample_mask::SAMPLE_MASK)
            & 1
            == 0;
        Ok(Pixels {
            vector_mask: flag(ps::VECTOR_MASK_ENABLE),
            back: Back {
                depth: DepthStencil::read(&draw)?,
                view,
                at: draw.at,
                early,
                own_depth,
                own_mask: asks(extra::OMASK_PRESENT_TO_RENDER_TARGET),
                ranges,
                clamps,
                blend_entries,
                constant,
                binding_table: draw.base.surface + binding_table,
                surface_base: draw.base.surface,
                targets: Vec::new(),
                written: Vec::new(),
                fast_clear,
                centre,
                samples_passed: 0,
                thread: Thread::default(),
            },
            variants: if masked { Vec::new() } else { variants },
            payload: Vec::new(),
            statistics: wm_get(wm::STATISTICS_ENABLE) == 1,
            invocations: 0,
            lit: Vec::new(),
        })
    }

    /// Draws an object's pixels.
    pub fn object(&mut self, setup: &Setup, subspans: &[Subspan]) -> Result<(), Stop> {
        let mut lit = std::mem::take(&mut self.lit);
        lit.clear();
        for subspan in subspans {
            let mut left = *subspan;
            if self.back.early && self.back.depth.is_active() {
                for (i, samples) in left.samples.iter_mut().enumerate() {
                    let (x, y) = (subspan.x + (i as u32 & 1), subspan.y + (i as u32 >> 1));
                    if *samples & 1 == 1 && !self.back.early_sample(setup, x, y)? {
                        *samples = 0;
                    }
                }
            } else if self.back.early {
                let covered = left.samples.iter().filter(|s| **s & 1 == 1).count();
                self.back.samples_passed += covered as u64;
            }
            if left.samples != [0; 4] {
                lit.push(left);
            }
        }
        let result = self.threads(setup, &lit);
        self.lit = lit;
        result
    }

    fn threads(&mut self, setup: &Setup, subspans: &[Subspan]) -> Result<(), Stop> {
        let mut rest = subspans;
        while !rest.is_empty() {
            // The widest kernel that is filled by more than the next narrower one would be.
            let fits = |v: &&mut Variant<'_>| v.width == 8 || rest.len() > 2;
            let count = self.variants.len();
            let single = count == 1;
            let Some(variant) = self.variants.iter_mut().rev().find(|v| single || fits(v)) else {
                return Ok(());
            };
            let taken = rest.len().min(variant.width / 4);
            let (now, later) = rest.split_at(taken);
            rest = later;
            let mut mask = 0u32;
            let mut whole = 0u32;
            for (i, subspan) in now.iter().enumerate() {
                whole |= 0xf << (4 * i);
                for (k, samples) in subspan.samples.iter().enumerate() {
                    mask |= u32::from(samples & 1) << (4 * i + k);
                }
            }
            self.invocations += u64::from(mask.count_ones());
            variant
                .layout
                .write(setup, now, mask, variant.width, &mut self.payload);
            let thread = &mut self.back.thread;
            thread.subspans.clear();
            thread.subspans.extend_from_slice(now);
            thread.mask = mask;
            thread.passed = None;
            thread.layer = setup.layer;
            thread.viewport = setup.viewport as usize;
            thread.front_facing = setup.front_facing;
            thread.object = Some(Setup {
                attributes: Vec::new(),
                ..*setup
            });
            for lane in 0..now.len() * 4 {
                if let Some([x, y, _]) = thread.place(lane) {
                    let (x, y) = (
                        f64::from(x) + self.back.centre,
                        f64::from(y) + self.back.centre,
                    );
                    thread.depths[lane] = setup.depth.at(x, y) as f32;
                }
            }
            let dispatch = if self.vector_mask { whole } else { mask };
            variant
                .executor
                .run(&self.payload, dispatch, &mut self.back)?;
        }
        Ok(())
    }

    /// Render targets that threads have written to.
    pub fn written(&self) -> &[(Role, Image)] {
        &self.back.written
    }

    /// What threads have done, by width.
    pub fn stages(&self) -> impl Iterator<Item = StageWork> {
        self.variants.iter().map(|variant| {
            variant.executor.work(match variant.width {
                8 => "PS8",
                16 => "PS16",
                _ => "PS32",
            })
        })
    }

    /// What has been counted.
    pub fn finish(self) -> Result<Counts, Stop> {
        Ok(Counts {
            samples_passed: if self.statistics {
                self.back.samples_passed
            } else {
                0
            },
            invocations: if self.statistics { self.invocations } else { 0 },
        })
    }
}

impl Back<'_> {
    fn clamped(&self, depth: f32, viewport: usize) -> f32 {
        match self.ranges.get(viewport) {
            Some((low, high)) if self.clamps => depth.max(*low).min(*high),
            _ => depth,
        }
    }

    fn early_sample(&mut self, setup: &Setup, x: u32, y: u32) -> Result<bool, Stop> {
        let (px, py) = (f64::from(x) + self.centre, f64::from(y) + self.centre);
        let depth = self.clamped(setup.depth.at(px, py) as f32, setup.viewport as usize);
        let passes = self
            .depth
            .sample([x, y, setup.layer], 0, depth, setup.front_facing, None)?;
        self.samples_passed += u64::from(passes);
        Ok(passes)
    }

    /// The render target of a binding table entry; none if there is nothing to write.
    fn target(&mut self, index: u32, blend: usize) -> Result<usize, Stop> {
        let entry = self.view.read(self.binding_table + u64::from(index) * 4)?;
        let address = self.surface_base + u64::from(entry & !63);
        let key = address | blend as u64;
        if let Some(found) = self.targets.iter().position(|t| t.0 == key) {
            return Ok(found);
        }
        let image = Image::read(&self.view, address)?;
        let target = match image.kind {
            Kind::Null => None,
            _ if image.samples > 1 => return gap(self.at, "render targets with several samples"),
            _ => {
                let entry = self.blend_entries.get(blend).copied();
                let blend = entry.unwrap_or_else(|| Blend::read(&[0, 0], false));
                Some(Target::new(image, blend, self.constant))
            }
        };
        if target.is_some() {
            self.written.push((Role::Colour(index), image));
        }
        self.targets.push((key, target));
        Ok(self.targets.len() - 1)
    }

    fn write(&mut self, message: &Message<'_>) -> Result<(), Stop> {
        let desc = message.desc;
        let dword = |index: usize| {
            let second = index.wrapping_sub(message.src0.len());
            let found = message.src0.get(index);
            found
                .or_else(|| message.src1.get(second))
                .copied()
                .unwrap_or(0)
        };
        let subtype = desc >> 8 & 7;
        if desc >> 11 & 1 == 1 {
            return gap(message.ip, "render target writes of the upper slots");
        }
        let header = desc >> 19 & 1 == 1;
        let width: usize = if subtype < 2 { 16 } else { 8 };
        let mut at = 0;
        let (mut mask, mut blend, mut source_alpha) = (self.thread.mask, 0, false);
        if header {
            mask &= dword(15);
            blend = (dword(2) & 7) as usize;
            source_alpha = dword(0) >> 11 & 1 == 1;
            at = 16;
        }
        if source_alpha {
            at += width;
        }
        if self.own_mask {
            for lane in 0..width {
                let register = dword(at + lane / 2) >> (16 * (lane % 2));
                if register & 1 == 0 {
                    mask &= !(1 << lane);
                }
            }
            at += 8;
        }
        // Dual source writes of the upper half are for channels 8 and on.
        let first = if subtype == 3 { 8 } else { 0 };
        // Channels that predication or flow has switched off, such as discarded ones, are not written either.
        mask &= message.lanes << first;
        let colours = |base: usize, lane: usize| -> [u32; 4] {
            match subtype {
                1 => std::array::from_fn(|c| dword(base + c)),
                _ => std::array::from_fn(|c| dword(base + c * width + lane)),
            }
        };
        let colour_at = at;
        at += if subtype == 1 { 8 } else { 4 * width };
        let second_at = at;
        if matches!(subtype, 2 | 3) {
            at += 4 * width;
        }
        if !self.early {
            let passed = match self.thread.passed {
                Some(passed) => passed,
                None => {
                    let mut passed = 0u32;
                    for lane in (0..16).filter(|l| mask >> l & 1 == 1) {
                        let Some(place) = self.thread.place(lane) else {
                            continue;
                        };
                        let depth = match self.own_depth {
                            true => f32::from_bits(dword(at + lane)),
                            false => self.thread.depths[lane],
                        };
                        let depth = self.clamped(depth, self.thread.viewport);
                        let facing = self.thread.front_facing;
                        if self.depth.sample(place, 0, depth, facing, None)? {
                            passed |= 1 << lane;
                        }
                    }
                    self.samples_passed += u64::from(passed.count_ones());
                    self.thread.passed = Some(passed);
                    passed
                }
            };
            mask &= passed;
        }
        let index = self.target(desc & 0xff, blend)?;
        let Some((_, Some(target))) = self.targets.get(index) else {
            return Ok(());
        };
        for lane in 0..width {
            if mask >> (first + lane) & 1 == 0 {
                continue;
            }
            let Some(place) = self.thread.place(first + lane) else {
                continue;
            };
            match self.fast_clear {
                Some(what) => clear::colour(&self.view, &target.image, place, what)?,
                None => {
                    let second = match subtype {
                        2 | 3 => colours(second_at, lane),
                        _ => [0; 4],
                    };
                    target.write(&self.view, place, 0, colours(colour_at, lane), second)?;
                }
            }
        }
        Ok(())
    }
}

impl Back<'_> {
    /// The pixel interpolator: barycentric weights at other places of the pixels. With one sample, that sample and the
    /// centroid are the centre. Ref: SKL PRM vol. 7, "Pixel Interpolator".
    fn interpolate(&self, message: &Message<'_>, response: &mut [u32]) -> Result<(), Stop> {
        let desc = message.desc;
        let Some(object) = &self.thread.object else {
            return Ok(());
        };
        if desc >> 11 & 1 == 1 {
            return gap(message.ip, "pixel interpolation for the upper slots");
        }
        let width = if desc >> 16 & 1 == 1 { 16 } else { 8 };
        // Sixteenths of a pixel in four bits of two's complement.
        let sixteenths = |bits: u32| f64::from((bits << 28) as i32 >> 28) / 16.0;
        let slot = |index: usize| message.src0.get(index).copied().unwrap_or(0);
        for lane in (0..width).filter(|lane| message.lanes >> lane & 1 == 1) {
            let Some([x, y, _]) = self.thread.place(lane) else {
                continue;
            };
            let (dx, dy) = match desc >> 12 & 3 {
                0 => (sixteenths(desc), sixteenths(desc >> 4)),
                3 => (sixteenths(slot(lane)), sixteenths(slot(width + lane))),
                _ => (0.0, 0.0),
            };
            let (x, y) = (
                f64::from(x) + self.centre + dx,
                f64::from(y) + self.centre + dy,
            );
            let weights = match desc >> 14 & 1 {
                0 => object.perspective(x, y),
                _ => object.linear(x, y),
            };
            for (which, weight) in weights.into_iter().enumerate() {
                let at = (lane / 8 * 2 + which) * 8 + lane % 8;
                if let Some(to) = response.get_mut(at) {
                    *to = (weight as f32).to_bits();
                }
            }
        }
        Ok(())
    }
}

impl Stage for Back<'_> {
    fn message(&mut self, message: &Message<'_>, response: &mut [u32]) -> Result<Reply, Stop> {
        match (message.sfid, message.desc >> 14 & 15) {
            (5, 12) => self.write(message).map(|()| Reply::Done),
            (11, _) => self.interpolate(message, response).map(|()| Reply::Done),
            (sfid, kind) => gap(
                message.ip,
                &format!("message {kind} of SFID {sfid} from a pixel shader"),
            ),
        }
    }
}
