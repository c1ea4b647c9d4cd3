export { StandaloneModule } from './standalone.module';
