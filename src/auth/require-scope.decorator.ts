import { Reflector } from '@nestjs/core';
import type { PrincipalType } from '../kernel/principal.js';

/**
 * Declares the scope that the caller of a handler must hold: one scope token (RFC 6749, section
 * 3.3).
 */
export const RequireScope = Reflector.createDecorator<string>();

/** Declares the types of principal that may call a handler. Default: all. */
export const AdmitPrincipals = Reflector.createDecorator<readonly PrincipalType[]>();
