//! The GPUs that are simulated, by name.
//!
//! In:  a name. Out: the row of `hw::DEVICES`, or why it cannot be simulated.

/// Why a device cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KmdError {
    /// No such GPU.
    #[error("no simulated GPU is called {name:?}; there are {}", simulated_gpus())]
    UnknownGpu {
        /// What was asked for.
        name: String,
    },
    /// The packets of the GPU's generation are not simulated.
    #[error(
        "{name} ({code_name}) is known, but the commands of its generation are not simulated yet; there are {}",
        simulated_gpus()
    )]
    NotModelled {
        /// What was asked for.
        name: &'static str,
        /// Its code name.
        code_name: &'static str,
    },
}

/// Names of the GPUs that are simulated, for people.
fn simulated_gpus() -> String {
    let names = hw::DEVICES.iter().filter(|device| device.is_modelled());
    names
        .map(|device| device.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Looks up a simulated GPU by name.
///
/// # Errors
/// The GPU is unknown or not simulated.
pub fn find(gpu: &str) -> Result<&'static hw::Device, KmdError> {
    let hw = hw::Device::by_name(gpu).ok_or_else(|| KmdError::UnknownGpu {
        name: gpu.to_owned(),
    })?;
    match hw.is_modelled() {
        true => Ok(hw),
        false => Err(KmdError::NotModelled {
            name: hw.name,
            code_name: hw.code_name,
        }),
    }
}

#[cfg(test)]
mod tests;
