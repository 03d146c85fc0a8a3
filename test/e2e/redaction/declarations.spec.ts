import path from 'node:path';
import ts from 'typescript';
import { RESPONSES } from '../../../src/deal-sets/dto/responses.js';
import { Search } from '../../../src/deal-sets/dto/deal-set-result.js';
import { ResponseDto, UnlessHosted, Withheld } from '../../../src/redaction/field.decorators.js';
import { composeRedaction } from '../../../src/redaction/redact.js';
import { shapeOf } from '../../../src/redaction/shape-of.js';
import { fieldPath, reachableShapes } from '../../../src/redaction/walk.js';
import { TestService } from '../../setup/test-service.js';

const FORMS = ['same', 'described', 'null', 'false', 'unless-hosted'];

@ResponseDto('As if a field were added.')
class Wider extends Search {
  @Withheld('Where she lives.', { type: 'text' })
  readonly latitude!: string | null;

  @UnlessHosted('Whether it is near.')
  readonly isNear?: boolean;
}

describe('one declaration for each field', () => {
  it('is asked for by the compiler', () => {
    const root = path.join(__dirname, '../../..');
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) =>
      ts.sys.readFile(file),
    ) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent(
      { ...config, include: [], files: [] },
      ts.sys,
      root,
    );
    const program = ts.createProgram([path.join(__dirname, 'declarations.types.ts')], options);
    const found = ts
      .getPreEmitDiagnostics(program)
      .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, ' '));
    expect(found).toEqual([]);
  });

  it('is in every shape that a response can reach, under a name of its own', () => {
    const shapes = reachableShapes(RESPONSES.map(shapeOf));
    expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThan(15);
    for (const one of shapes) {
      for (const [name, field] of Object.entries(one.fields)) {
        expect([fieldPath(one, name), FORMS.includes(field.forms.assistant)]).toEqual([
          fieldPath(one, name),
          true,
        ]);
        expect(field.description).not.toBe('');
        // What is withheld has a form for its absence.
        if (field.forms.assistant === 'null')
          expect([fieldPath(one, name), field.value.is]).toEqual([
            fieldPath(one, name),
            'nullable',
          ]);
        if (field.forms.assistant === 'unless-hosted') expect(field.isOptional).toBe(true);
      }
    }
  });

  it('is what the served API description says, field by field', async () => {
    const service = await TestService.start();
    try {
      const { text: json } = await service.send('GET', '/api/v1/openapi.json', undefined);
      const { components } = JSON.parse(json) as {
        components: {
          schemas: Record<
            string,
            {
              properties: Record<string, { description?: string; 'x-assistant'?: string }>;
              required: string[];
            }
          >;
        };
      };
      for (const one of reachableShapes(RESPONSES.map(shapeOf))) {
        const schema = components.schemas[one.name];
        expect(Object.keys(schema?.properties ?? {})).toEqual(Object.keys(one.fields));
        for (const [name, field] of Object.entries(one.fields)) {
          const { description = '', 'x-assistant': form } = schema?.properties[name] ?? {};
          expect([name, form]).toEqual([name, field.forms.assistant]);
          expect([name, description.includes('Null for an assistant')]).toEqual([
            name,
            field.forms.assistant === 'null',
          ]);
          expect([name, schema?.required.includes(name)]).toEqual([name, !field.isOptional]);
        }
      }
    } finally {
      await service.stop();
    }
  });

  it('makes a new field withheld or left out by its declaration alone', () => {
    const wider = shapeOf(Wider);
    const answer = { buyerZip: '94536', radiusMiles: 5, latitude: '37.5', isNear: true };
    const write = (audience: 'session' | 'assistant' | 'hosted-assistant'): unknown =>
      composeRedaction(wider, audience, new Set())(answer);
    expect(write('session')).toEqual(answer);
    expect(write('assistant')).toEqual({
      buyerZip: null,
      radiusMiles: null,
      latitude: null,
      isNear: true,
    });
    expect(write('hosted-assistant')).toEqual({
      buyerZip: null,
      radiusMiles: null,
      latitude: null,
    });
  });
});
