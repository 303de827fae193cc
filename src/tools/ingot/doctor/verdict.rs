//! The verdict on a device node: the sentence of the driver's survey, and an exit code.
//!
//! In:  a [`NodeReport`]. Out: one line; the exit code of `ingot doctor`.

use i915::Reason;
use i915::nodes::NodeReport;

/// Exit code without any node.
pub const NO_NODE: u8 = 7;

/// The line about a node.
pub fn sentence(node: &NodeReport) -> String {
    match &node.outcome {
        Ok(_) => format!("{node}: Ingot can use it"),
        Err(_) => node.to_string(),
    }
}

/// The exit code of a node's outcome: 0 if it is usable, else one for each kind of reason.
pub fn exit_code<T>(outcome: Result<T, &Reason>) -> u8 {
    match outcome {
        Ok(_) => 0,
        Err(Reason::PermissionDenied { .. } | Reason::Hidden { .. }) => 3,
        Err(Reason::KernelTooOld { .. }) => 4,
        Err(Reason::OtherGeneration { .. }) => 5,
        Err(Reason::OtherDriver { .. }) => 6,
        Err(
            Reason::OtherVendor { .. }
            | Reason::NotOpened { .. }
            | Reason::Unreported { .. }
            | Reason::SmallAddressSpace { .. },
        ) => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uapi::Errno;

    #[test]
    fn each_obstacle_has_its_exit_code() {
        let code = |reason: Reason| exit_code::<()>(Err(&reason));
        assert_eq!(exit_code(Ok(())), 0);
        assert_eq!(code(Reason::PermissionDenied { group: None }), 3);
        let old = Reason::KernelTooOld {
            version: i915::MINIMUM_KERNEL,
            lacks: "mapping by offset",
        };
        assert_eq!(code(old), 4);
        assert_eq!(code(Reason::OtherGeneration { pci_id: 0x9a49 }), 5);
        let xe = Reason::OtherDriver {
            driver: "xe".into(),
            pci_id: None,
        };
        assert_eq!(code(xe), 6);
        let errno = Errno::EMFILE;
        assert_eq!(code(Reason::NotOpened { errno }), 8);
    }
}
