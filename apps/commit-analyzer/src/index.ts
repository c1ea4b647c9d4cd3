export { CommitAnalyzerModule } from './commit-analyzer.module';
