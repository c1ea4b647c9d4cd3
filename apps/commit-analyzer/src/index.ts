export { CommitAnalyzerModule } from './commit-analyzer.module';
export { toCandidateFile } from './analysis/candidate-file';
export { type AnalysedFile, analyseFile } from './analysis/file-analysis';
export { countOccurrences, type LineFrequency } from './frequency/occurrences';
export { decodeLineChange, lineChange, type LineChange, RepositoryLines } from './frequency/repository-lines';
export { recallCandidates, recallQuery } from './recall/candidate-recall';
