//! Render passes and framebuffers: plain descriptions, lowered on renderings.
//!
//! In:  attachments, subpasses, dependencies. Out: for each subpass, what a rendering begins with and what it waits for.
//! Ref: Vulkan 1.3, "Render Pass".

use std::sync::Arc;

use ash::vk as api;
use blit::Choice;
use cmd::draw::state::TARGETS;
use smallvec::SmallVec;

use super::barrier::Dependency;
use super::change::Change;
use super::target::{Begin, Colour, DepthStencil, Inherited, Load};
use super::views::Views;
use crate::error::{Error, Result};
use crate::image::View;

/// An attachment of a render pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Colour or depth is cleared at first use.
    pub clear: bool,
    /// Stencil is.
    pub clear_stencil: bool,
    /// Parts that its format has.
    pub aspects: api::ImageAspectFlags,
    /// The hardware's format, of colours.
    pub format: &'static hw::Format,
    /// Samples of its images.
    pub samples: u8,
    /// Layouts before and behind the render pass.
    pub layouts: [api::ImageLayout; 2],
}

/// A subpass: attachments by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subpass {
    /// Colours.
    pub colours: Vec<Option<u32>>,
    /// Depth and stencil.
    pub depth_stencil: Option<u32>,
    /// What the colours' samples are joined in, by colour.
    pub resolves: Vec<Option<u32>>,
    /// What values of the samples of depth and stencil go to.
    pub depth_stencil_resolve: Option<DepthStencilResolve>,
    /// What fragments read.
    pub inputs: Vec<Option<u32>>,
    /// Layouts that the attachments are in.
    pub layouts: Vec<(u32, api::ImageLayout)>,
    /// Views that are drawn.
    pub views: Views,
}

/// A resolve of depth and stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthStencilResolve {
    /// To this attachment.
    pub attachment: u32,
    /// Which value of depth; none: depth is left out.
    pub depth: Option<Choice>,
    /// Which value of stencil.
    pub stencil: Option<Choice>,
}

/// A dependency between subpasses; none: what is outside the render pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubpassDependency {
    /// What comes before.
    pub source: Option<u32>,
    /// What waits.
    pub destination: Option<u32>,
    /// For what.
    pub dependency: Dependency,
}

/// `VkRenderPass`.
#[derive(Debug)]
pub struct RenderPass {
    attachments: Vec<Attachment>,
    subpasses: Vec<Subpass>,
    dependencies: Vec<SubpassDependency>,
}

const BEYOND: Error = Error::InvalidUse {
    why: "a subpass or an attachment beyond its render pass",
};

impl Subpass {
    fn attachments(&self) -> impl Iterator<Item = u32> {
        let colours = self.colours.iter().flatten();
        let resolve = self.depth_stencil_resolve.map(|to| to.attachment);
        let all = colours.chain(&self.depth_stencil);
        all.chain(self.resolves.iter().flatten())
            .chain(self.inputs.iter().flatten())
            .copied()
            .chain(resolve)
    }
}

impl RenderPass {
    /// A render pass.
    pub fn new(
        attachments: Vec<Attachment>,
        subpasses: Vec<Subpass>,
        dependencies: Vec<SubpassDependency>,
    ) -> Result<Self> {
        let count = attachments.len() as u32;
        for subpass in &subpasses {
            if subpass.colours.len() > TARGETS || subpass.attachments().any(|at| at >= count) {
                return Err(BEYOND);
            }
        }
        Ok(Self {
            attachments,
            subpasses,
            dependencies,
        })
    }

    /// What a subpass waits for; behind the last one: what comes behind the render pass.
    pub fn waits(&self, subpass: usize) -> impl Iterator<Item = &Dependency> {
        let number = (subpass < self.subpasses.len()).then_some(subpass as u32);
        let all = self.dependencies.iter();
        // Those of a subpass on itself allow barriers within it.
        let mine = all.filter(move |d| d.destination == number && d.source != number);
        mine.map(|d| &d.dependency)
    }

    /// Views that are drawn in a subpass.
    pub fn views(&self, subpass: u32) -> Result<Views> {
        let subpass = self.subpasses.get(subpass as usize).ok_or(BEYOND)?;
        Ok(subpass.views)
    }

    /// Whether the depth or stencil attachment of a subpass is one of its input attachments, too.
    pub fn reads_tests(&self, subpass: u32) -> Result<bool> {
        let subpass = self.subpasses.get(subpass as usize).ok_or(BEYOND)?;
        let tested = subpass.depth_stencil;
        Ok(tested.is_some() && subpass.inputs.contains(&tested))
    }

    /// What a secondary command buffer inherits in a subpass.
    pub fn inherited(&self, subpass: u32) -> Result<Inherited> {
        let subpass = self.subpasses.get(subpass as usize).ok_or(BEYOND)?;
        let mut inherited = Inherited {
            views: subpass.views,
            ..Inherited::default()
        };
        for (to, &number) in inherited.colours.iter_mut().zip(&subpass.colours) {
            let Some(number) = number else { continue };
            let attachment = self.attachment(number)?;
            *to = Some(attachment.format);
            inherited.samples = inherited.samples.max(attachment.samples);
        }
        if let Some(number) = subpass.depth_stencil {
            let attachment = self.attachment(number)?;
            let has = |aspect| attachment.aspects.contains(aspect);
            inherited.depth = has(api::ImageAspectFlags::DEPTH);
            inherited.stencil = has(api::ImageAspectFlags::STENCIL);
            inherited.samples = inherited.samples.max(attachment.samples);
        }
        Ok(inherited)
    }

    fn attachment(&self, number: u32) -> Result<&Attachment> {
        self.attachments.get(number as usize).ok_or(BEYOND)
    }
}

/// `VkFramebuffer`: an image that is named when a render pass begins is none here.
#[derive(Debug)]
pub struct Framebuffer {
    /// The views, unless they are named later.
    pub views: Vec<Arc<View>>,
    /// Layers.
    pub layers: u32,
}

/// A change of layout of what a view sees.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub view: Arc<View>,
    pub layouts: [api::ImageLayout; 2],
}

impl Transition {
    /// The same as barriers have it.
    pub fn change(&self) -> Change<'_> {
        let view = &self.view;
        Change {
            image: &view.image,
            range: api::ImageSubresourceRange {
                aspect_mask: view.image.format.aspects(),
                base_mip_level: view.first_level,
                level_count: 1,
                base_array_layer: view.first_layer,
                layer_count: view.layers,
            },
            layouts: self.layouts,
        }
    }
}

/// A render pass on its way.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The render pass.
    pub render_pass: Arc<RenderPass>,
    /// Its views.
    pub views: smallvec::SmallVec<[Arc<View>; 4]>,
    /// First contents, by attachment: four dwords, or depth and stencil.
    pub clears: smallvec::SmallVec<[[u32; 4]; 4]>,
    /// Pixels that may change.
    pub area: api::Rect2D,
    /// Layers.
    pub layers: u32,
    /// The subpass.
    pub subpass: usize,
    /// Layouts of the attachments now; nothing: the ones before the render pass.
    pub layouts: smallvec::SmallVec<[api::ImageLayout; 4]>,
}

impl Pass {
    fn clear_of(&self, number: u32) -> [u32; 4] {
        self.clears.get(number as usize).copied().unwrap_or([0; 4])
    }

    fn view(&self, number: u32) -> Result<&View> {
        let view = self.views.get(number as usize);
        view.map(|view| &**view).ok_or(BEYOND)
    }

    /// Subpasses before this one that use an attachment.
    fn earlier(&self, number: u32) -> impl Iterator<Item = &Subpass> {
        let before = self.render_pass.subpasses.get(..self.subpass);
        let before = before.unwrap_or_default().iter();
        before.filter(move |before| before.attachments().any(|at| at == number))
    }

    /// The views of an attachment that this subpass uses first; nothing: there are none.
    fn fresh(&self, number: u32) -> Option<Views> {
        let mine = self.render_pass.subpasses.get(self.subpass)?.views;
        let mut before = self.earlier(number);
        if mine.is_none() {
            return before.next().is_none().then_some(mine);
        }
        let used = before.fold(Views::default(), |used, before| used.with(before.views));
        Some(mine.without(used)).filter(|fresh| !fresh.is_none())
    }

    /// Whether there is such a subpass.
    pub(super) fn has_subpass(&self) -> bool {
        self.subpass < self.render_pass.subpasses.len()
    }

    /// Changes of layout before this subpass; behind the last one: behind the render pass. They are made from here on.
    pub(super) fn transitions(&mut self) -> SmallVec<[Transition; 4]> {
        let pass = &self.render_pass;
        if self.layouts.is_empty() {
            let before = pass
                .attachments
                .iter()
                .map(|attachment| attachment.layouts[0]);
            self.layouts.extend(before);
        }
        let mut all = SmallVec::new();
        let mut change = |number: u32, new: api::ImageLayout| {
            let number = number as usize;
            let (Some(old), Some(view)) = (self.layouts.get_mut(number), self.views.get(number))
            else {
                return;
            };
            if *old != new {
                all.push(Transition {
                    view: Arc::clone(view),
                    layouts: [*old, new],
                });
                *old = new;
            }
        };
        match pass.subpasses.get(self.subpass) {
            Some(subpass) => {
                for &(number, new) in &subpass.layouts {
                    change(number, new);
                }
            }
            None => {
                for (number, attachment) in (0..).zip(&pass.attachments) {
                    change(number, attachment.layouts[1]);
                }
            }
        }
        all
    }

    /// The layout of an attachment now.
    fn layout(&self, number: u32) -> api::ImageLayout {
        let layout = self.layouts.get(number as usize);
        layout.copied().unwrap_or(api::ImageLayout::GENERAL)
    }

    /// Renderings that do nothing but clear: of attachments that are read or resolved to, and not drawn to, when they are used first.
    /// What colours are joined in is written whole, and so are the aspects that a resolve takes.
    pub(super) fn clears_apart(&self) -> Result<Vec<Begin<'_>>> {
        let pass = &self.render_pass;
        let subpass = pass.subpasses.get(self.subpass).ok_or(BEYOND)?;
        let drawn = |number: u32| {
            let mut drawn = subpass.colours.iter().chain([&subpass.depth_stencil]);
            drawn.any(|&at| at == Some(number))
        };
        let resolve = subpass.depth_stencil_resolve;
        let read = subpass.inputs.iter().copied().flatten();
        let mut all = Vec::new();
        let mut seen: SmallVec<[u32; 4]> = SmallVec::new();
        for number in read.chain(resolve.map(|to| to.attachment)) {
            let attachment = pass.attachment(number)?;
            let clears = attachment.clear || attachment.clear_stencil;
            if !clears || drawn(number) || seen.contains(&number) {
                continue;
            }
            seen.push(number);
            let Some(fresh) = self.fresh(number) else {
                continue;
            };
            let taken = resolve.filter(|to| to.attachment == number);
            let has = |aspect| attachment.aspects.contains(aspect);
            let depth = attachment.clear && has(api::ImageAspectFlags::DEPTH);
            let depth = depth && taken.is_none_or(|to| to.depth.is_none());
            let stencil = attachment.clear_stencil && has(api::ImageAspectFlags::STENCIL);
            let stencil = stencil && taken.is_none_or(|to| to.stencil.is_none());
            let colour = attachment.clear && has(api::ImageAspectFlags::COLOR);
            let value = self.clear_of(number);
            let view = self.view(number)?;
            let mut begin = Begin {
                area: self.area,
                layers: subpass.views.end(self.layers),
                views: subpass.views,
                colours: [None; TARGETS],
                depth_stencil: (depth || stencil).then(|| DepthStencil {
                    view,
                    fresh,
                    layout: self.layout(number),
                    resolve_layout: api::ImageLayout::GENERAL,
                    depth: depth.then_some(Load::Clear(f32::from_bits(value[0]))),
                    stencil: stencil.then_some(Load::Clear(value[1])),
                    resolve_depth: None,
                    resolve_stencil: None,
                }),
            };
            if let (true, [first, ..]) = (colour, &mut begin.colours) {
                *first = Some(Colour {
                    view,
                    layout: self.layout(number),
                    load: Load::Clear(value),
                    fresh,
                    resolve: None,
                });
            }
            if colour || depth || stencil {
                all.push(begin);
            }
        }
        Ok(all)
    }

    /// What the subpass draws to.
    pub(super) fn begin(&self) -> Result<Begin<'_>> {
        let pass = &self.render_pass;
        let subpass = pass.subpasses.get(self.subpass).ok_or(BEYOND)?;
        let mut colours = [None; TARGETS];
        for (index, (to, number)) in colours.iter_mut().zip(&subpass.colours).enumerate() {
            let &Some(number) = number else { continue };
            let resolve = subpass.resolves.get(index).copied().flatten();
            let clear = pass.attachment(number)?.clear;
            let fresh = self.fresh(number).filter(|_| clear);
            *to = Some(Colour {
                view: self.view(number)?,
                layout: self.layout(number),
                load: match fresh {
                    Some(_) => Load::Clear(self.clear_of(number)),
                    None => Load::Keep,
                },
                fresh: fresh.unwrap_or_default(),
                resolve: resolve
                    .map(|number| Ok::<_, Error>((self.view(number)?, self.layout(number))))
                    .transpose()?,
            });
        }
        let depth_stencil = match subpass.depth_stencil {
            None => None,
            Some(number) => {
                let attachment = pass.attachment(number)?;
                let [depth, stencil, ..] = self.clear_of(number);
                let fresh = self.fresh(number);
                let first = fresh.is_some();
                let resolve = subpass.depth_stencil_resolve;
                let resolved = |asked: fn(&DepthStencilResolve) -> Option<Choice>, aspect| {
                    // Both have it: what is resolved to may lack one of the two.
                    let has = |attachment: &Attachment| attachment.aspects.contains(aspect);
                    let to = resolve.and_then(|to| Some((to.attachment, asked(&to)?)));
                    let to =
                        to.filter(|(to, _)| has(attachment) && pass.attachment(*to).is_ok_and(has));
                    let view = |(to, choice)| Ok::<_, Error>((self.view(to)?, choice));
                    to.map(view).transpose()
                };
                let has = |aspect| attachment.aspects.contains(aspect);
                Some(DepthStencil {
                    view: self.view(number)?,
                    fresh: fresh.unwrap_or_default(),
                    layout: self.layout(number),
                    resolve_layout: resolve
                        .map_or(api::ImageLayout::GENERAL, |to| self.layout(to.attachment)),
                    depth: has(api::ImageAspectFlags::DEPTH).then_some(
                        match attachment.clear && first {
                            true => Load::Clear(f32::from_bits(depth)),
                            false => Load::Keep,
                        },
                    ),
                    stencil: has(api::ImageAspectFlags::STENCIL).then_some(
                        match attachment.clear_stencil && first {
                            true => Load::Clear(stencil),
                            false => Load::Keep,
                        },
                    ),
                    resolve_depth: resolved(|to| to.depth, api::ImageAspectFlags::DEPTH)?,
                    resolve_stencil: resolved(|to| to.stencil, api::ImageAspectFlags::STENCIL)?,
                })
            }
        };
        Ok(Begin {
            area: self.area,
            layers: subpass.views.end(self.layers),
            views: subpass.views,
            colours,
            depth_stencil,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_belong_to_the_subpass_that_waits() {
        let edge = |source, destination| SubpassDependency {
            source,
            destination,
            dependency: Dependency::FULL,
        };
        let edges = vec![
            edge(None, Some(0)),
            edge(Some(0), Some(1)),
            edge(None, Some(1)),
            edge(Some(1), Some(1)),
            edge(Some(1), None),
        ];
        let pass = RenderPass::new(Vec::new(), vec![Subpass::default(); 2], edges).unwrap();
        let counts = [0, 1, 2].map(|subpass| pass.waits(subpass).count());
        assert_eq!(counts, [1, 2, 1]);
    }

    #[test]
    fn attachments_beyond_the_pass_are_refused() {
        let subpass = Subpass {
            colours: vec![Some(1)],
            ..Subpass::default()
        };
        let attachment = Attachment {
            clear: true,
            clear_stencil: false,
            aspects: api::ImageAspectFlags::COLOR,
            format: &hw::FORMATS[0],
            samples: 1,
            layouts: [api::ImageLayout::GENERAL; 2],
        };
        let made = RenderPass::new(vec![attachment], vec![subpass], Vec::new());
        assert_eq!(made.err(), Some(BEYOND));
    }
}
