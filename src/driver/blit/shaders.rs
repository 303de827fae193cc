//! The internal shaders' code.

use crate::launch::Shader;
use crate::{buffer, picture, samples, texel};

impl Shader {
    /// The shader.
    pub fn nir(self) -> nir::Shader {
        match self {
            Shader::Fill => buffer::fill(),
            Shader::Copy => buffer::copy(),
            Shader::QueryResults => buffer::query_results(),
            Shader::Texels(texels) => texel::nir(texels),
            Shader::Picture(picture) => picture::nir(picture),
            Shader::Settle(settle) => texel::settle(settle),
            Shader::Samples(samples) => samples::nir(samples),
            Shader::Three(three) => texel::three(three),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{
        Channel, Choice, Measure, Numbers, Order, Picture, SHADERS, Samples, Settle, Texels, Three,
    };

    /// All of them.
    fn all() -> Vec<Shader> {
        let orders = [Order::Rows, Order::X, Order::Y, Order::W];
        let sources = orders.map(Some).into_iter().chain([None]);
        let pairs = sources.flat_map(|source| orders.map(|destination| (source, destination)));
        let texels = pairs.flat_map(|(source, destination)| {
            (0..=4).map(move |unit_log2| {
                Shader::Texels(Texels {
                    source,
                    destination,
                    unit_log2,
                })
            })
        });
        let numbers = [
            Numbers::Floats,
            Numbers::Srgb,
            Numbers::Integers,
            Numbers::Stencil,
        ];
        let channels = [
            Channel::Unorm8,
            Channel::Srgb8,
            Channel::Unorm16,
            Channel::Float16,
            Channel::Float32,
        ];
        let numbers = numbers.into_iter().chain(orders.map(Numbers::Packed));
        let numbers = numbers.chain(channels.map(Numbers::Three));
        let pictures = numbers.flat_map(|numbers| {
            let scaled = [false, true].map(|volume| Picture::Scaled { volume, numbers });
            let joined = (1..=4).map(move |samples_log2| Picture::Joined {
                samples_log2,
                numbers,
            });
            scaled.into_iter().chain(joined).map(Shader::Picture)
        });
        let first = orders.into_iter().flat_map(|destination| {
            (0..=2).map(move |unit_log2| {
                Shader::Picture(Picture::First {
                    destination,
                    unit_log2,
                })
            })
        });
        let kinds = [
            Measure::Depth16,
            Measure::Depth24,
            Measure::DepthFloat,
            Measure::Stencil,
        ];
        let chosen = kinds.into_iter().flat_map(|kind| {
            let choices = [Choice::Least, Choice::Greatest, Choice::Mean];
            choices.into_iter().flat_map(move |choice| {
                (1..=4).map(move |samples_log2| {
                    Shader::Picture(Picture::Chosen {
                        choice,
                        kind,
                        samples_log2,
                    })
                })
            })
        });
        let settles = (1..=4).flat_map(|samples_log2| {
            (0..=4).map(move |unit_log2| {
                Shader::Settle(Settle {
                    samples_log2,
                    unit_log2,
                    by_four: false,
                })
            })
        });
        let by_four = (1..=2).map(|samples_log2| {
            Shader::Settle(Settle {
                samples_log2,
                unit_log2: 2,
                by_four: true,
            })
        });
        let samples = (1..=4).flat_map(|samples_log2| {
            (0..=2).map(move |unit_log2| {
                Shader::Samples(Samples {
                    samples_log2,
                    unit_log2,
                })
            })
        });
        let tiled = [Order::Rows, Order::X, Order::Y];
        let threes = tiled.into_iter().flat_map(|source| {
            tiled.map(|destination| {
                Shader::Three(Three {
                    source,
                    destination,
                })
            })
        });
        let others = [Shader::Fill, Shader::Copy, Shader::QueryResults];
        let all = others.into_iter().chain(texels);
        all.chain(pictures)
            .chain(first)
            .chain(chosen)
            .chain(settles)
            .chain(by_four)
            .chain(samples)
            .chain(threes)
            .collect()
    }

    #[test]
    fn shaders_are_valid_and_have_numbers_of_their_own() {
        let all = all();
        let numbers: std::collections::BTreeSet<_> = all.iter().map(|s| s.index()).collect();
        assert!(numbers.into_iter().eq(0..SHADERS));
        for shader in all {
            nir::validate(&shader.nir()).unwrap();
        }
    }
}
