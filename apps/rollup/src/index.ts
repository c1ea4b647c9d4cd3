export { RollupModule } from './rollup.module';
