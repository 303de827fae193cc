//! The fixture of the scenes: a device, images to draw to, and short forms of pipelines.

use crate::instance::wait;

/// The width and height of an image in pixels.
pub const SIDE: u32 = 128;
/// The format of the images.
pub const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// The same, with colours as sRGB encodes them.
pub const SRGB: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Format of depth buffers.
pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A device, and the image that scenes draw.
pub struct Stage {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// The device's name.
    pub name: String,
    picture: wgpu::Texture,
    /// The image to draw to.
    pub view: wgpu::TextureView,
    /// The same, which encodes what is drawn.
    pub srgb_view: wgpu::TextureView,
}

/// An image to draw to or to read.
#[derive(Clone, Copy)]
pub struct Image {
    pub format: wgpu::TextureFormat,
    pub side: u32,
    /// Slices of a 3D image, layers of others.
    pub depth: u32,
    pub levels: u32,
    pub samples: u32,
    pub dimension: wgpu::TextureDimension,
}

impl Default for Image {
    fn default() -> Self {
        Self {
            format: COLOUR,
            side: SIDE,
            depth: 1,
            levels: 1,
            samples: 1,
            dimension: wgpu::TextureDimension::D2,
        }
    }
}

/// The parameters of a render pipeline that differ between scenes.
pub struct Pipeline<'a> {
    /// WGSL with the entry points `vertex` and, unless there are no targets, `fragment`.
    pub shader: &'a str,
    /// The layout of group 0, if it is not derived from the shader.
    pub layout: Option<&'a wgpu::BindGroupLayout>,
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub targets: &'a [wgpu::TextureFormat],
    pub blend: Option<wgpu::BlendState>,
    pub primitive: wgpu::PrimitiveState,
    pub depth: Option<wgpu::DepthStencilState>,
    pub samples: u32,
}

impl Default for Pipeline<'_> {
    fn default() -> Self {
        Self {
            shader: "",
            layout: None,
            buffers: &[],
            targets: &[COLOUR],
            blend: None,
            primitive: wgpu::PrimitiveState::default(),
            depth: None,
            samples: 1,
        }
    }
}

/// The usual depth test.
pub fn nearer() -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Less),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}

impl Stage {
    /// Opens the first device of the Vulkan drivers that the environment names.
    pub fn open(instance: &wgpu::Instance) -> Result<Self, String> {
        let adapter = wait(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
            .map_err(|e| e.to_string())?;
        let (device, queue) = wait(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        }))
        .map_err(|e| e.to_string())?;
        let picture = texture(&device, Image::default());
        let view = picture.create_view(&Default::default());
        let srgb_view = picture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(SRGB),
            ..Default::default()
        });
        let name = adapter.get_info().name;
        Ok(Self {
            device,
            queue,
            name,
            picture,
            view,
            srgb_view,
        })
    }

    pub fn texture(&self, image: Image) -> wgpu::Texture {
        texture(&self.device, image)
    }

    /// A view of a new image.
    pub fn target(&self, image: Image) -> wgpu::TextureView {
        self.texture(image).create_view(&Default::default())
    }

    /// Fills one level of one layer or slice of an image of four bytes a texel.
    pub fn upload(&self, texture: &wgpu::Texture, (level, layer): (u32, u32), texels: &[u8]) {
        let (width, height) = (
            (texture.width() >> level).max(1),
            (texture.height() >> level).max(1),
        );
        self.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: level,
                origin: wgpu::Origin3d {
                    x: 0,
                    y: 0,
                    z: layer,
                },
                aspect: wgpu::TextureAspect::All,
            },
            texels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(width * 4),
                rows_per_image: Some(height),
            },
            wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
        );
    }

    /// A buffer of floats.
    pub fn floats(&self, values: &[f32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.bytes(&bytes, usage)
    }

    /// A buffer of 32-bit integers.
    pub fn integers(&self, values: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.bytes(&bytes, usage)
    }

    /// A buffer of 16-bit integers, an even number of them.
    pub fn shorts(&self, values: &[u16], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.bytes(&bytes, usage)
    }

    fn bytes(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes.len() as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    pub fn module(&self, shader: &str) -> wgpu::ShaderModule {
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(shader.into()),
            })
    }

    pub fn pipeline(&self, what: &Pipeline<'_>) -> wgpu::RenderPipeline {
        let module = self.module(what.shader);
        let targets: Vec<_> = what
            .targets
            .iter()
            .map(|format| {
                Some(wgpu::ColorTargetState {
                    format: *format,
                    blend: what.blend,
                    write_mask: wgpu::ColorWrites::ALL,
                })
            })
            .collect();
        let layout = what.layout.map(|group| {
            self.device
                .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: None,
                    bind_group_layouts: &[Some(group)],
                    immediate_size: 0,
                })
        });
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: layout.as_ref(),
                vertex: wgpu::VertexState {
                    module: &module,
                    entry_point: Some("vertex"),
                    compilation_options: Default::default(),
                    buffers: what.buffers,
                },
                primitive: what.primitive,
                depth_stencil: what.depth.clone(),
                multisample: wgpu::MultisampleState {
                    count: what.samples,
                    ..Default::default()
                },
                fragment: (!targets.is_empty()).then_some(wgpu::FragmentState {
                    module: &module,
                    entry_point: Some("fragment"),
                    compilation_options: Default::default(),
                    targets: &targets,
                }),
                multiview_mask: None,
                cache: None,
            })
    }

    /// Layout of a group with one uniform buffer, of which a dynamic offset picks a part.
    pub fn dynamic_layout(
        &self,
        visibility: wgpu::ShaderStages,
        bytes: u64,
    ) -> wgpu::BindGroupLayout {
        self.device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: true,
                        min_binding_size: wgpu::BufferSize::new(bytes),
                    },
                    count: None,
                }],
            })
    }

    /// Group 0 of a pipeline, by order of binding.
    pub fn group(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: Vec<wgpu::BindingResource<'_>>,
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = resources
            .into_iter()
            .zip(0..)
            .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    /// Submits what `draw` records, and waits for its end.
    pub fn submit(&self, draw: impl FnOnce(&mut wgpu::CommandEncoder)) -> Result<(), String> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        draw(&mut encoder);
        self.queue.submit([encoder.finish()]);
        let done = self.device.poll(wgpu::PollType::wait_indefinitely());
        done.map(|_| ()).map_err(|e| e.to_string())
    }

    /// The image's bytes: red, green, blue, alpha of each pixel.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        let copy = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(SIDE * SIDE * 4),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.submit(|encoder| {
            encoder.copy_texture_to_buffer(
                self.picture.as_image_copy(),
                wgpu::TexelCopyBufferInfo {
                    buffer: &copy,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(SIDE * 4),
                        rows_per_image: Some(SIDE),
                    },
                },
                self.picture.size(),
            );
        })?;
        let (sender, receiver) = std::sync::mpsc::channel();
        copy.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver waits below; without it the result is not needed.
            let _ = sender.send(result);
        });
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| e.to_string())?;
        receiver
            .recv()
            .map_err(|e| e.to_string())?
            .map_err(|e| e.to_string())?;
        let bytes = copy.get_mapped_range(..).map_err(|e| e.to_string())?;
        Ok(bytes.to_vec())
    }
}

fn texture(device: &wgpu::Device, image: Image) -> wgpu::Texture {
    use wgpu::TextureUsages as Usage;
    let several = image.samples > 1;
    let target = image.dimension == wgpu::TextureDimension::D2;
    let mut usage = Usage::TEXTURE_BINDING;
    if target {
        usage |= Usage::RENDER_ATTACHMENT;
    }
    if !several && !image.format.is_depth_stencil_format() {
        usage |= Usage::COPY_SRC | Usage::COPY_DST;
    }
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d {
            width: image.side,
            height: image.side,
            depth_or_array_layers: image.depth,
        },
        mip_level_count: image.levels,
        sample_count: image.samples,
        dimension: image.dimension,
        format: image.format,
        usage,
        view_formats: if image.format == COLOUR { &[SRGB] } else { &[] },
    })
}

/// A pass that begins with a colour, and with the farthest depth where there is depth.
pub fn pass<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    targets: &[&wgpu::TextureView],
    resolve: Option<&wgpu::TextureView>,
    clear: wgpu::Color,
    depth: Option<&wgpu::TextureView>,
) -> wgpu::RenderPass<'e> {
    let colours: Vec<_> = targets
        .iter()
        .map(|view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: resolve,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(clear),
                    store: wgpu::StoreOp::Store,
                },
            })
        })
        .collect();
    let has_stencil = |view: &wgpu::TextureView| view.texture().format().has_stencil_aspect();
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &colours,
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(1.0),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: has_stencil(view).then_some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0),
                store: wgpu::StoreOp::Store,
            }),
        }),
        ..Default::default()
    })
}
