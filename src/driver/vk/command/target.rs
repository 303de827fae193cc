//! What a rendering draws to.
//!
//! In:  views, with what is in them at first. Out: the same for what begins a rendering, and the state of a command buffer that draws.

use std::sync::Arc;

use ash::vk as api;
use blit::Choice;
use cmd::draw::state::{Area, State, TARGETS, Viewport};
use cmd::draw::target::{DepthStencilTarget, Targets};
use hw::state::render_surface_state as rss;

use super::views::Views;
use crate::format::Format;
use crate::image::{Image, View};
use crate::limits::MAX_FRAMEBUFFER_PX;
use crate::surface_state::Surface;

/// What is in a target when a rendering begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load<T> {
    /// What was there before, or what nobody asks for.
    Keep,
    /// This.
    Clear(T),
}

/// A colour target.
#[derive(Clone, Copy, Debug)]
pub struct Colour<'a> {
    /// The view.
    pub view: &'a View,
    /// Its layout.
    pub layout: api::ImageLayout,
    /// Its first content: four dwords of the target's type.
    pub load: Load<[u32; 4]>,
    /// Views that get it.
    pub fresh: Views,
    /// What its samples are joined in at the end, and its layout.
    pub resolve: Option<(&'a View, api::ImageLayout)>,
}

/// Depth and stencil.
#[derive(Clone, Copy, Debug)]
pub struct DepthStencil<'a> {
    /// The view.
    pub view: &'a View,
    /// First content of depth; none: depth is not drawn to.
    pub depth: Option<Load<f32>>,
    /// First content of stencil; none: stencil is not drawn to.
    pub stencil: Option<Load<u32>>,
    /// Views that get them.
    pub fresh: Views,
    /// The layout of depth.
    pub layout: api::ImageLayout,
    /// The layout of what depth is resolved to.
    pub resolve_layout: api::ImageLayout,
    /// What one value of the samples of depth goes to at the end.
    pub resolve_depth: Option<(&'a View, Choice)>,
    /// The same of stencil.
    pub resolve_stencil: Option<(&'a View, Choice)>,
}

/// What a rendering begins with.
#[derive(Clone, Copy, Debug)]
pub struct Begin<'a> {
    /// Pixels that may change.
    pub area: api::Rect2D,
    /// Layers.
    pub layers: u32,
    /// Views that are drawn.
    pub views: Views,
    /// Colours, by target.
    pub colours: [Option<Colour<'a>>; TARGETS],
    /// Depth and stencil.
    pub depth_stencil: Option<DepthStencil<'a>>,
}

/// What a secondary command buffer knows of the rendering that it is a part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inherited {
    /// Formats of the colours that are there, by target.
    pub colours: [Option<&'static hw::Format>; TARGETS],
    /// There is depth.
    pub depth: bool,
    /// There is stencil.
    pub stencil: bool,
    /// Samples of all of them.
    pub samples: u8,
    /// Views that are drawn.
    pub views: Views,
}

impl Inherited {
    /// Targets that another batch says: where they are is left open, and they are as large as targets can be.
    pub(super) fn targets(&self) -> Targets {
        let depth = cmd::draw::target::Depth {
            format: cmd::draw::target::DepthFormat::D32Float,
            address: 0,
            pitch_bytes: 0,
            qpitch_rows: 0,
            hierarchy: None,
        };
        let stencil = cmd::draw::target::Stencil {
            address: 0,
            pitch_bytes: 0,
            qpitch_rows: 0,
        };
        let surface = |format: &hw::Format| {
            let mut surface = [0; 16];
            rss::SURFACE_FORMAT.set(&mut surface, format.number.into());
            surface
        };
        Targets {
            colours: self.colours.map(|format| format.map(surface)),
            records: [None; TARGETS],
            null: [0; 16],
            depth_stencil: DepthStencilTarget {
                depth: self.depth.then_some(depth),
                stencil: self.stencil.then_some(stencil),
                ..DepthStencilTarget::default()
            },
            area: WHOLE,
            inherited: true,
        }
    }

    /// The rendering, as clears see it.
    pub(super) fn rendering(&self) -> Rendering {
        Rendering {
            active: true,
            samples: self.samples.max(1),
            area: WHOLE,
            layers: self.views.end(u32::MAX),
            views: self.views,
        }
    }
}

/// All that can be drawn to.
const WHOLE: Area = Area {
    x: 0,
    y: 0,
    width: MAX_FRAMEBUFFER_PX,
    height: MAX_FRAMEBUFFER_PX,
};

/// The rendering of a command buffer, while there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rendering {
    pub active: bool,
    pub samples: u8,
    pub area: Area,
    pub layers: u32,
    pub views: Views,
}

/// A level of layers of an image, as a view sees it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub image: Arc<Image>,
    pub format: &'static Format,
    pub level: u32,
    pub first_layer: u32,
}

impl Seen {
    pub fn of(view: &View) -> Seen {
        Seen {
            image: view.image.clone(),
            format: view.format,
            level: view.first_level,
            first_layer: view.first_layer,
        }
    }
}

/// Samples that become pixels when a rendering ends.
#[derive(Clone, Debug)]
pub(super) struct Resolve {
    pub aspect: api::ImageAspectFlags,
    pub from: Seen,
    pub to: Seen,
    pub area: api::Rect2D,
    /// First layer of both that is drawn to, and how many.
    pub layers: (u32, u32),
    /// Of depth and stencil, which value is taken.
    pub choice: Choice,
    /// Auxiliary surfaces may hold something back: of what is resolved, and of what it is resolved to.
    pub held: [bool; 2],
}

impl Begin<'_> {
    /// What is to be resolved at the end.
    pub(super) fn resolves(&self) -> impl Iterator<Item = Resolve> {
        use api::ImageAspectFlags as A;
        let colours = self.colours.iter().flatten();
        let colours = colours.map(|colour| {
            let to = colour.resolve.map(|(to, layout)| {
                let held = [colour.layout, layout].map(Image::is_drawn_in);
                ((to, Choice::First), held)
            });
            (A::COLOR, colour.view, to)
        });
        let others = self.depth_stencil.iter().flat_map(|target| {
            let held = [target.layout, target.resolve_layout].map(Image::keeps_hierarchy);
            let depth = target.resolve_depth.map(|to| (to, held));
            let stencil = target.resolve_stencil.map(|to| (to, [false; 2]));
            [
                (A::DEPTH, target.view, depth),
                (A::STENCIL, target.view, stencil),
            ]
        });
        let all = colours.chain(others);
        let all = all.filter_map(|(aspect, from, to)| Some((aspect, from, to?)));
        let (views, layers, area) = (self.views, self.layers, self.area);
        all.flat_map(move |(aspect, from, ((to, choice), held))| {
            let ranges = views.ranges(layers);
            ranges.map(move |layers| Resolve {
                aspect,
                from: Seen::of(from),
                to: Seen::of(to),
                area,
                layers,
                choice,
                held,
            })
        })
    }
}

impl Rendering {
    /// There is none.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A colour target that is not there: as large as those that are.
pub(super) fn null(area: &Area, layers: u32) -> cmd::draw::target::Surface {
    const SURFACE_NULL: u64 = 7;
    const B8G8R8A8_UNORM: u64 = 0x0c0;
    const Y_TILES: u64 = 3;
    let last = |first: u32, count: u32| u64::from(first.saturating_add(count).max(1) - 1);
    let last_layer = u64::from(layers.max(1) - 1);
    rss::words::<16>()
        .with(rss::SURFACE_TYPE, SURFACE_NULL)
        .with(rss::SURFACE_FORMAT, B8G8R8A8_UNORM)
        .flag(rss::SURFACE_ARRAY, true)
        .with(rss::SURFACE_VERTICAL_ALIGNMENT, 1)
        .with(rss::SURFACE_HORIZONTAL_ALIGNMENT, 1)
        .with(rss::TILE_MODE, Y_TILES)
        .with(rss::WIDTH, last(area.x, area.width) & 0x3fff)
        .with(rss::HEIGHT, last(area.y, area.height) & 0x3fff)
        .with(rss::DEPTH, last_layer & 0x7ff)
        .with(rss::RENDER_TARGET_VIEW_EXTENT, last_layer & 0x7ff)
        .dwords
}

/// One colour target, for rectangles of the driver's own.
pub(super) fn alone(surface: Surface, area: &Area) -> Targets {
    let mut colours = [None; TARGETS];
    colours[0] = Some(surface);
    Targets {
        colours,
        records: [None; TARGETS],
        null: null(area, 1),
        depth_stencil: DepthStencilTarget::default(),
        area: *area,
        inherited: false,
    }
}

/// State that covers an area of a target of so many samples by rectangles from the first pixel on.
pub(super) fn fit(state: &mut State, area: &Area, samples: u8) {
    let [width, height] = [area.x + area.width, area.y + area.height].map(|px| px as f32);
    state.multisample.samples = samples;
    if let Some(viewport) = state.viewports.first_mut() {
        *viewport = Viewport {
            x: 0.0,
            y: 0.0,
            width,
            height,
            near: 0.0,
            far: 0.0,
        };
    }
    if let Some(scissor) = state.scissors.first_mut() {
        *scissor = *area;
    }
}
