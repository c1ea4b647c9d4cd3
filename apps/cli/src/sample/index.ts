export { buildSample, type LineTruth, type Sample, type SampleEdit, type SampleTruth } from './build-sample';
export { scoreSample, type AttributedLines, type WrongLine } from './score-sample';
