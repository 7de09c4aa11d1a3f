package correct

var EvidenceNames = evidenceNames
