//! All scenes, one table for each subject.

mod blending;
mod commands;
mod compressed;
mod computing;
mod counted;
mod depth;
mod dynamic;
mod formats;
mod fragments;
mod geometry;
mod kept;
mod multisample;
mod parts;
mod passes;
mod queries;
mod textures;
mod transfer;
mod views;

use crate::Scene;

/// Every scene.
pub fn all() -> Vec<Scene> {
    [
        blending::scenes(),
        commands::scenes(),
        compressed::scenes(),
        computing::scenes(),
        counted::scenes(),
        depth::scenes(),
        dynamic::scenes(),
        formats::scenes(),
        fragments::scenes(),
        geometry::scenes(),
        kept::scenes(),
        multisample::scenes(),
        parts::scenes(),
        queries::scenes(),
        passes::scenes(),
        textures::scenes(),
        transfer::scenes(),
        views::scenes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
