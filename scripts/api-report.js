/**
 * Writes the public surface of each entry point as text to scripts/api-report. Run it after
 * `npm run build:packages`.
 *
 *   node scripts/api-report.js           writes the reports
 *   node scripts/api-report.js --check   fails if the reports differ from the build
 *
 * Both commands fail if a public signature uses a type that no entry point exports, because a host
 * application could not import that type.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = path.join(import.meta.dirname, '..');
// A later entry point may use types of an earlier one.
const ENTRY_POINTS = ['index', 'entities', 'mcp', 'standalone', 'operations'];

const isCheck = process.argv.includes('--check');
const temporary = mkdtempSync(path.join(tmpdir(), 'api-report-'));
let isSame = true;
const exported = new Set();
for (const name of ENTRY_POINTS) {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: path.join(root, `dist/${name}.d.ts`),
      compiler: { tsconfigFilePath: path.join(root, 'tsconfig.build.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: path.join(root, 'scripts/api-report'),
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        // Only the surface is compared; the comments do not follow this tool's rules.
        extractorMessageReporting: {
          default: { logLevel: 'none' },
          'ae-forgotten-export': { logLevel: 'error' },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  const { apiReportChanged, errorCount } = Extractor.invoke(config, {
    localBuild: !isCheck,
    messageCallback: (message) => {
      const isOfEarlierEntryPoint =
        message.messageId === 'ae-forgotten-export' &&
        exported.has(/symbol "(\w+)"/.exec(message.text)?.[1]);
      if (isOfEarlierEntryPoint) message.logLevel = 'none';
      if (message.logLevel === 'error') return;
      message.handled = true;
    },
  });
  if (errorCount > 0) process.exitCode = 1;
  for (const name of exportedNames(config.reportTempFilePath)) exported.add(name);
  if (isCheck && apiReportChanged) isSame = false;
}
rmSync(temporary, { recursive: true });
if (!isSame) {
  console.error(
    'The public surface has changed. Run `npm run api:report`, read the difference in scripts/api-report, and describe in CHANGELOG.md what it means for host applications.',
  );
  process.exitCode = 1;
}

/** Returns the names that a report declares as exported. */
function exportedNames(report) {
  const declaration = /^export (?:abstract )?(?:class|const|function|interface|type) (\w+)/gm;
  return [...readFileSync(report, 'utf8').matchAll(declaration)].map(([, name]) => name);
}
