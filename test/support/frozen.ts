export { frozen } from '../../src/engine/frozen.ts';
