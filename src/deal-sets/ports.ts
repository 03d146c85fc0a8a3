import { SIGN_IN_PORTS } from '../auth/auth.module.js';
import { port, type Ports } from '../config/ports.js';
import { RateLimitStorage } from '../rate-limit/rate-limit-storage.js';
import { Rollout } from '../rollout/rollout.js';
import { DealSetReads } from './deal-set-reads.js';
import { DisplayTexts } from './domain/display-texts.js';
import { LocaleResolver } from './locale-resolver.js';

/** Every port of the service, which a host application may replace. */
export const PORTS: Ports = new Map([
  ...SIGN_IN_PORTS,
  port(Rollout, 'isOn'),
  port(RateLimitStorage, 'increment'),
  port(DisplayTexts, 'car', 'shortCar', 'requestedCar', 'status', 'questionHeading', 'headerLine'),
  port(LocaleResolver, 'resolve'),
  port(DealSetReads, 'list', 'get'),
]);
