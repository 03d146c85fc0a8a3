import { describeNoninterference } from './noninterference.js';

describeNoninterference(4);
