//! The NIR of each internal shader.
//!
//! In:  a [`Shader`]. Out: its NIR.

use crate::launch::Shader;
use crate::{astc_copy, buffer, indirect, sample_copy, sampled_copy, texel};

impl Shader {
    /// The shader's NIR.
    pub fn nir(self) -> nir::Shader {
        match self {
            Shader::Fill => buffer::fill(),
            Shader::Copy => buffer::copy(),
            Shader::QueryResults => buffer::query_results(),
            Shader::TexelCopy(texels) => texel::nir(texels),
            Shader::SampledCopy(picture) => sampled_copy::nir(picture),
            Shader::McsResolve(settle) => texel::resolve_mcs(settle),
            Shader::SampleCopy(samples) => sample_copy::nir(samples),
            Shader::ThreeChannelCopy(three) => texel::copy_three_channels(three),
            Shader::AstcCopy(copy) => astc_copy::nir(copy),
            Shader::CopyIndirect => indirect::nir(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{
        AstcCopy, ChannelFormat, DepthStencilFormat, McsResolve, Order, ResolveMode, SHADERS,
        SampleCopy, SampledCopy, TexelConversion, TexelCopy, ThreeChannelCopy,
    };

    const ORDERS: [Order; 4] = [Order::Rows, Order::X, Order::Y, Order::W];

    fn texel_copies() -> impl Iterator<Item = Shader> {
        let sources = ORDERS.map(Some).into_iter().chain([None]);
        let pairs = sources.flat_map(|source| ORDERS.map(|destination| (source, destination)));
        pairs.flat_map(|(source, destination)| {
            (0..=4).map(move |unit_log2| {
                Shader::TexelCopy(TexelCopy {
                    source,
                    destination,
                    unit_log2,
                })
            })
        })
    }

    /// Scaled copies, and copies that average samples.
    fn number_copies() -> impl Iterator<Item = Shader> {
        let numbers = [
            TexelConversion::Floats,
            TexelConversion::Srgb,
            TexelConversion::Integers,
            TexelConversion::Stencil,
        ];
        let channels = [
            ChannelFormat::Unorm8,
            ChannelFormat::Srgb8,
            ChannelFormat::Unorm16,
            ChannelFormat::Float16,
            ChannelFormat::Float32,
        ];
        let numbers = numbers
            .into_iter()
            .chain(ORDERS.map(TexelConversion::Packed));
        let numbers = numbers.chain(channels.map(TexelConversion::Three));
        numbers.flat_map(|numbers| {
            let scaled = [false, true].map(|volume| SampledCopy::Scaled { volume, numbers });
            let joined = (1..=4).map(move |samples_log2| SampledCopy::Joined {
                samples_log2,
                numbers,
            });
            scaled.into_iter().chain(joined).map(Shader::SampledCopy)
        })
    }

    /// Copies of one sample, and of a combination of all samples.
    fn sample_resolves() -> impl Iterator<Item = Shader> {
        let single = ORDERS.into_iter().flat_map(|destination| {
            (0..=2).map(move |unit_log2| {
                Shader::SampledCopy(SampledCopy::Single {
                    destination,
                    unit_log2,
                })
            })
        });
        let interleaved = sample_copy_kinds()
            .map(|samples| Shader::SampledCopy(SampledCopy::Interleaved(samples)));
        let kinds = [
            DepthStencilFormat::Depth16,
            DepthStencilFormat::Depth24,
            DepthStencilFormat::DepthFloat,
            DepthStencilFormat::Stencil,
        ];
        let chosen = kinds.into_iter().flat_map(|kind| {
            let choices = [ResolveMode::Min, ResolveMode::Max, ResolveMode::Average];
            choices.into_iter().flat_map(move |choice| {
                (1..=4).map(move |samples_log2| {
                    Shader::SampledCopy(SampledCopy::Chosen {
                        choice,
                        kind,
                        samples_log2,
                    })
                })
            })
        });
        interleaved.chain(single).chain(chosen)
    }

    fn mcs_resolves() -> impl Iterator<Item = Shader> {
        let single = (1..=4).flat_map(|samples_log2| {
            (0..=4).map(move |unit_log2| {
                Shader::McsResolve(McsResolve {
                    samples_log2,
                    unit_log2,
                    by_four: false,
                })
            })
        });
        let by_four = (1..=2).map(|samples_log2| {
            Shader::McsResolve(McsResolve {
                samples_log2,
                unit_log2: 2,
                by_four: true,
            })
        });
        single.chain(by_four)
    }

    fn sample_copy_kinds() -> impl Iterator<Item = SampleCopy> {
        (1..=4).flat_map(|samples_log2| {
            (0..=2).map(move |unit_log2| SampleCopy {
                samples_log2,
                unit_log2,
            })
        })
    }

    fn sample_copies() -> impl Iterator<Item = Shader> {
        sample_copy_kinds().map(Shader::SampleCopy)
    }

    fn three_channel_copies() -> impl Iterator<Item = Shader> {
        let orders = [Order::Rows, Order::X, Order::Y];
        orders.into_iter().flat_map(move |source| {
            orders.into_iter().flat_map(move |destination| {
                [false, true].map(|two_bytes| {
                    Shader::ThreeChannelCopy(ThreeChannelCopy {
                        source,
                        destination,
                        two_bytes,
                    })
                })
            })
        })
    }

    fn astc_copies() -> impl Iterator<Item = Shader> {
        let orders = [Order::Rows, Order::X, Order::Y];
        orders.into_iter().flat_map(move |source| {
            orders.map(|destination| {
                Shader::AstcCopy(AstcCopy {
                    source,
                    destination,
                })
            })
        })
    }

    /// All internal shaders.
    fn all() -> Vec<Shader> {
        [Shader::Fill, Shader::Copy, Shader::QueryResults]
            .into_iter()
            .chain(texel_copies())
            .chain(number_copies())
            .chain(sample_resolves())
            .chain(mcs_resolves())
            .chain(sample_copies())
            .chain(three_channel_copies())
            .chain(astc_copies())
            .chain([Shader::CopyIndirect])
            .collect()
    }

    #[test]
    fn shaders_are_valid_and_have_distinct_indices() {
        let all = all();
        let indices: std::collections::BTreeSet<_> = all.iter().map(|s| s.index()).collect();
        assert!(indices.into_iter().eq(0..SHADERS));
        for shader in all {
            nir::validate(&shader.nir()).unwrap();
        }
    }
}
