export { IndexerModule } from './indexer.module';
