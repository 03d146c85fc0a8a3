import { describeNoninterference } from './noninterference.js';

describeNoninterference(3);
