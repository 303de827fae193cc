/// Loaders hide drivers whose manifest has an older version than the instance requests.
#[test]
fn the_manifest_has_the_version_of_the_driver() {
    let version = vk::extension::API_VERSION;
    let text = format!(
        "\"api_version\": \"{}.{}.{}\"",
        ash::vk::api_version_major(version),
        ash::vk::api_version_minor(version),
        ash::vk::api_version_patch(version)
    );
    assert!(
        include_str!("../ingot_icd.json.in").contains(&text),
        "{text}"
    );
}
