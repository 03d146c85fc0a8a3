import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PRINCIPAL_TYPES } from '../kernel/principal.js';
import { ARGUMENT, EndpointRegistry, type EndpointRoute } from './endpoint-registry.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { problemsOf as problemsOfError } from './own-errors.js';

const FLAG = /^[a-z][a-z0-9_]*$/;
/** RFC 6749, section 3.3: one scope token. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const METHODS_WITH_BODY = ['post', 'put', 'patch'];

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

/** Stops the boot on an endpoint that is declared wrongly. */
@Injectable()
export class EndpointDeclarations implements OnModuleInit {
  constructor(private readonly registry: EndpointRegistry) {}

  /** @throws {Error} with one line for each wrong endpoint. */
  onModuleInit(): void {
    const problems = this.registry.endpoints.flatMap((route) =>
      problemsOf(route).map((problem) => `${route.name}: ${problem}`),
    );
    problems.push(...this.#shapesOfOneName());
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  #shapesOfOneName(): string[] {
    const names = this.registry.allShapes.map(({ name }) => name);
    return names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `Two response shapes are called ${name}: rename one`);
  }
}

function problemsOf({
  declared,
  arguments: args,
  method,
  writesResponse,
}: EndpointRoute): string[] {
  const problems: string[] = [];
  const expect = (isTrue: boolean, problem: string): void => {
    if (!isTrue) problems.push(problem);
  };
  // Types do not bind a caller in JavaScript.
  expect(FLAG.test(declared.flag), 'flag must match [a-z][a-z0-9_]*');
  expect(SCOPE_TOKEN.test(declared.scope), 'scope must be one scope token of RFC 6749');
  expect(!writesResponse, 'use @Res({ passthrough: true }), or the response is not redacted');
  const { principals } = declared;
  expect(
    !principals ||
      (principals.length > 0 && principals.every((type) => PRINCIPAL_TYPES.includes(type))),
    `principals must be some of ${PRINCIPAL_TYPES.join(', ')}`,
  );
  const bodies = args.filter(({ kind }) => kind === ARGUMENT.body);
  expect(
    bodies.every(({ type }) => type === declared.body),
    'declare body: the class of its @Body() parameter',
  );
  expect(
    !declared.body || (bodies.length > 0 && METHODS_WITH_BODY.includes(method)),
    'a declared body needs POST, PUT or PATCH and a @Body() parameter',
  );
  for (const error of declared.errors ?? []) {
    if (typeof error === 'string') {
      expect(error in ERROR_CATALOGUE, `unknown error code ${error}`);
    } else {
      problems.push(...problemsOfError(error));
    }
  }
  return problems;
}
