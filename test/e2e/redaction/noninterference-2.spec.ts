import { describeNoninterference } from './noninterference.js';

describeNoninterference(2);
