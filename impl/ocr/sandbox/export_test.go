package sandbox

// IsRaceBuild is isRaceBuild.
const IsRaceBuild = isRaceBuild
