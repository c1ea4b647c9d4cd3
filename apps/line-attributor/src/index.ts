export { LineAttributorModule } from './line-attributor.module';
