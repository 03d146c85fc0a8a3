import { Injectable, RequestMethod, type OnModuleInit, type Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { PRINCIPAL_TYPES } from '../kernel/principal.js';
import { reachableDtos } from '../redaction/field.js';
import { ERROR_CATALOGUE } from './contract.js';
import {
  declaredAccess,
  type DeclaredAccess,
  type EndpointPolicy,
  type OwnError,
} from './endpoint-policy.js';

/** A route handler as its decorators describe it. */
interface Route {
  /** `Controller.handler`. */
  readonly name: string;
  readonly method: RequestMethod;
  /** The types of its `@Body()` parameters. */
  readonly bodies: readonly unknown[];
  /** The handler writes the response itself, past the interceptor. */
  readonly writesResponse: boolean;
  readonly declared: DeclaredAccess | undefined;
}

interface EndpointRoute extends Route {
  readonly declared: EndpointPolicy;
}

/** Every route of the application, read once from the controllers' metadata. Stops the boot on a wrong endpoint. */
@Injectable()
export class EndpointRegistry implements OnModuleInit {
  #routes: readonly Route[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  get routes(): readonly Route[] {
    this.#routes ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) =>
        typeof metatype === 'function' ? this.#routesOf(metatype as Type) : [],
      );
    return this.#routes;
  }

  /** The routes declared by `@Endpoint`. */
  get endpoints(): readonly EndpointRoute[] {
    return this.routes.flatMap((route) => {
      const { declared } = route;
      if (declared === undefined || declared === 'public') return [];
      if (typeof (declared.response as unknown) !== 'function') {
        throw new Error(`${route.name}: declare a response shape, a class`);
      }
      return [{ ...route, declared }];
    });
  }

  /** Every class of a response, and of what it contains. */
  get dtos(): readonly Type[] {
    return reachableDtos(this.endpoints.map(({ declared }) => declared.response));
  }

  get scopes(): ReadonlySet<string> {
    return new Set(this.endpoints.map(({ declared }) => declared.scope));
  }

  get flags(): ReadonlySet<string> {
    return new Set(this.endpoints.map(({ declared }) => declared.flag));
  }

  /** @throws {Error} with one line for each wrong endpoint. */
  onModuleInit(): void {
    const problems = this.endpoints.flatMap((route) =>
      problemsOf(route).map((problem) => `${route.name}: ${problem}`),
    );
    const names = this.dtos.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) !== index) {
        problems.push(`Two response classes are called ${name}: rename one`);
      }
    }
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  #routesOf(controller: Type): Route[] {
    const prototype = controller.prototype as Record<string, object | undefined>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name): Route[] => {
      const handler = prototype[name] as () => unknown;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) return [];
      const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as unknown[];
      const parameters = Object.entries(
        (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
          string,
          { readonly index: number }
        >,
      );
      const ofKind = (kind: RouteParamtypes): unknown[] =>
        parameters
          .filter(([key]) => key.startsWith(`${kind}:`))
          .map(([, { index }]) => types[index]);
      return [
        {
          name: `${controller.name}.${name}`,
          method,
          bodies: ofKind(RouteParamtypes.BODY),
          writesResponse:
            ofKind(RouteParamtypes.RESPONSE).length > 0 &&
            Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, name) !== true,
          declared: declaredAccess(handler, controller),
        },
      ];
    });
  }
}

/** Stops the boot of the standalone application on a handler without a declaration: nothing is open by omission. */
@Injectable()
export class UndeclaredHandlers implements OnModuleInit {
  constructor(private readonly registry: EndpointRegistry) {}

  /** @throws {Error} naming each handler. */
  onModuleInit(): void {
    const undeclared = this.registry.routes.filter(({ declared }) => declared === undefined);
    if (undeclared.length === 0) return;
    const names = undeclared.map(({ name }) => name).join(', ');
    throw new Error(`These handlers must declare @Endpoint(...) or @Public(): ${names}`);
  }
}

const LOWER_CASE_WORDS = /^[a-z][a-z0-9_]*$/;
/** RFC 6749, section 3.3: one scope token. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const METHODS_WITH_BODY = [RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH];

/** What is wrong with a declaration. Types do not bind a caller in JavaScript. */
function problemsOf({ declared, bodies, method, writesResponse }: EndpointRoute): string[] {
  const { flag, scope, principals, body, errors = [] } = declared;
  const areKnown =
    !principals ||
    (principals.length > 0 && principals.every((type) => PRINCIPAL_TYPES.includes(type)));
  const checks: readonly (readonly [isRight: boolean, problem: string])[] = [
    [LOWER_CASE_WORDS.test(flag), 'flag must match [a-z][a-z0-9_]*'],
    [SCOPE_TOKEN.test(scope), 'scope must be one scope token of RFC 6749'],
    [!writesResponse, 'use @Res({ passthrough: true }), or the response is not redacted'],
    [areKnown, `principals must be some of ${PRINCIPAL_TYPES.join(', ')}`],
    [bodies.every((type) => type === body), 'declare body: the class of its @Body() parameter'],
    [
      !body || (bodies.length > 0 && METHODS_WITH_BODY.includes(method)),
      'a declared body needs POST, PUT or PATCH and a @Body() parameter',
    ],
    ...errors.map((error) =>
      typeof error === 'string'
        ? ([Object.hasOwn(ERROR_CATALOGUE, error), `unknown error code ${error}`] as const)
        : ([
            isOwn(error),
            `own error ${error.code}: expected a new code and a status from 400 to 599`,
          ] as const),
    ),
  ];
  return checks.flatMap(([isRight, problem]) => (isRight ? [] : [problem]));
}

function isOwn({ status, code }: OwnError): boolean {
  const isError = Number.isInteger(status) && status >= 400 && status <= 599;
  return isError && LOWER_CASE_WORDS.test(code) && !Object.hasOwn(ERROR_CATALOGUE, code);
}
