import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal';
import { parameterTypes } from '../http/handler-parameters.js';
import { RouteDiscovery, type Route } from '../http/route-discovery.js';
import type { EndpointError } from '../http/endpoint-error.js';
import { ERROR_CATALOGUE } from '../kernel/error-catalogue.js';
import { PRINCIPAL_TYPES } from '../kernel/principal.js';
import { reachableDtos } from '../redaction/field.js';
import { declaredAccess, endpointErrorsOf, type EndpointPolicy } from './endpoint-policy.js';
import { ErrorDetail, ErrorResponse } from './error-response.dto.js';

/** A route that `@Endpoint` declares. */
export interface DeclaredEndpoint {
  readonly route: Route;
  readonly policy: EndpointPolicy;
}

/** The endpoints of the application. A wrong declaration stops the boot. */
@Injectable()
export class EndpointRegistry implements OnModuleInit {
  #endpoints: readonly DeclaredEndpoint[] | undefined;

  constructor(private readonly discovery: RouteDiscovery) {}

  /** The routes that `@Endpoint` declares. */
  get endpoints(): readonly DeclaredEndpoint[] {
    this.#endpoints ??= this.discovery.routes.flatMap((route) => {
      const policy = declaredAccess(route.handler, route.controller);
      return typeof policy === 'object' ? [{ route, policy }] : [];
    });
    return this.#endpoints;
  }

  /** The routes that declare neither `@Endpoint` nor `@Public`. */
  get undeclaredRoutes(): readonly Route[] {
    return this.discovery.routes.filter(
      ({ handler, controller }) => declaredAccess(handler, controller) === undefined,
    );
  }

  /**
   * Checks every declaration.
   *
   * @throws {Error} with one line for each wrong declaration.
   */
  onModuleInit(): void {
    const policies = this.endpoints.map(({ policy }) => policy);
    const responses = reachableDtos(policies.map(({ response }) => response));
    const bodies = policies.flatMap(({ body }) => body ?? []);
    // Each class is a schema of the API description, where names are unique.
    const classes = new Set<Type>([...responses, ...bodies, ErrorResponse, ErrorDetail]);
    const names = Array.from(classes, ({ name }) => name);
    const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
    const problems = [
      ...this.endpoints.flatMap(problemsOf),
      ...Array.from(
        repeated,
        (name) => `Two schemas of the API description are called ${name}: rename one`,
      ),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
}

function problemsOf({ route, policy }: DeclaredEndpoint): string[] {
  const { body, principals = PRINCIPAL_TYPES } = policy;
  const problems = problemsOfErrors(route, policy);
  if (principals.length === 0 || principals.some((type) => !PRINCIPAL_TYPES.includes(type))) {
    const known = PRINCIPAL_TYPES.join(', ');
    problems.push(`${route.name}: principals: expected one or more of ${known}`);
  }
  // Nest's pipe validates a body by its parameter's type. The type of an interface is `Object`, so
  // the pipe would check nothing.
  const bodies = parameterTypes(RouteParamtypes.BODY, route);
  if (bodies.length !== (body ? 1 : 0) || bodies.some((type) => type !== body)) {
    problems.push(`${route.name}: declare body: the class of its @Body() parameter`);
  }
  return problems;
}

/** The form of an error code: lower-case words joined by `_`. */
const ERROR_CODE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

function problemsOfErrors(route: Route, policy: EndpointPolicy): string[] {
  const own = endpointErrorsOf(policy);
  const codes = own.map(({ code }) => code);
  const repeated = new Set(codes.filter((code, index) => codes.indexOf(code) !== index));
  const unknown = (policy.errors ?? []).filter(
    (error) => typeof error === 'string' && !Object.hasOwn(ERROR_CATALOGUE, error),
  );
  return [
    ...own.flatMap((error) => problemsOfError(route, error)),
    ...Array.from(repeated, (code) => `${route.name}: error ${code}: declare it once`),
    ...unknown.map(
      (code) => `${route.name}: error ${code as string}: expected a code of the service`,
    ),
  ];
}

function problemsOfError({ name }: Route, { code, status }: EndpointError): string[] {
  const problems: string[] = [];
  if (!ERROR_CODE.test(code)) {
    problems.push(`${name}: error ${code}: expected a code of lower-case words joined by _`);
  }
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    problems.push(`${name}: error ${code}: expected a status from 400 to 599, not ${status}`);
  }
  if (Object.hasOwn(ERROR_CATALOGUE, code)) {
    problems.push(`${name}: error ${code}: choose another code, because the service uses this one`);
  }
  return problems;
}
