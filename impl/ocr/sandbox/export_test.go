package sandbox

const IsRaceBuild = isRaceBuild

// Layers returns the layers that were tried, in order; none if the mode is Off.
func (l *Launcher) Layers() []layer { return l.layers }
