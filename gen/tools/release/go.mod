module uncial/gen/tools/release

go 1.26.0

require github.com/CycloneDX/cyclonedx-go v0.12.0
