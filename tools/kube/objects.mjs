/** What every object of the chart must keep to, whatever the values: each check answers the sentences that are wrong. */

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'Job']);

const nameOf = ({ kind, metadata }) => `${kind} ${metadata.name}`;
const podOf = (object) => (WORKLOADS.has(object.kind) ? object.spec.template : undefined);
const containersOf = ({ spec }) => [...(spec.initContainers ?? []), ...spec.containers];

/** Whether labels have all that a selector asks for. */
const matches = (selector, labels = {}) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

/** Limits, probes, no root, nothing that Pod Security `restricted` refuses. */
function podRules(object) {
  const pod = podOf(object);
  if (!pod) return [];
  const wrong = [];
  const say = (what) => wrong.push(`${nameOf(object)}: ${what}`);
  const { securityContext = {}, automountServiceAccountToken } = pod.spec;
  if (securityContext.runAsNonRoot !== true || !(securityContext.runAsUser > 0)) say('may run as root');
  if (securityContext.seccompProfile?.type !== 'RuntimeDefault') say('has no seccomp profile');
  if (automountServiceAccountToken !== false) say('gets a token of the API server that it does not use');
  for (const container of containersOf(pod)) {
    const here = (what) => say(`${container.name} ${what}`);
    if (!container.resources?.limits?.memory) here('has no limit of memory');
    if (!container.resources?.requests?.cpu) here('requests no processor time');
    const own = container.securityContext ?? {};
    if (own.allowPrivilegeEscalation !== false) here('may become more than it is');
    if (!own.capabilities?.drop?.includes('ALL')) here('keeps capabilities');
    if (object.kind !== 'StatefulSet' && own.readOnlyRootFilesystem !== true) here('may write to its image');
    if (/:(latest)?$/.test(container.image) || !container.image.includes(':'))
      here('has an image without a version');
  }
  if (object.kind !== 'Job') {
    for (const { name, startupProbe, readinessProbe, livenessProbe } of pod.spec.containers) {
      if (!startupProbe || !readinessProbe || !livenessProbe) say(`${name} lacks a probe`);
    }
  }
  return wrong;
}

/** What an object names must be there. */
function references(object, all, given) {
  const wrong = [];
  const has = (kind, name) =>
    given.has(`${kind} ${name}`) || all.some((one) => one.kind === kind && one.metadata.name === name);
  const need = (kind, name) => {
    if (!has(kind, name)) wrong.push(`${nameOf(object)} names ${kind} ${name}, which is not there`);
  };
  const pod = podOf(object);
  if (pod) {
    for (const volume of pod.spec.volumes ?? []) {
      if (volume.secret) need('Secret', volume.secret.secretName);
      if (volume.persistentVolumeClaim) need('PersistentVolumeClaim', volume.persistentVolumeClaim.claimName);
      for (const source of volume.projected?.sources ?? [])
        if (source.secret) need('Secret', source.secret.name);
    }
    for (const { env = [], envFrom = [], name, volumeMounts = [] } of containersOf(pod)) {
      for (const { configMapRef, secretRef } of envFrom) {
        if (configMapRef) need('ConfigMap', configMapRef.name);
        if (secretRef) need('Secret', secretRef.name);
      }
      for (const { valueFrom } of env)
        if (valueFrom?.secretKeyRef) need('Secret', valueFrom.secretKeyRef.name);
      const volumes = [
        ...(pod.spec.volumes ?? []),
        ...(object.spec.volumeClaimTemplates ?? []).map((c) => c.metadata),
      ];
      for (const mount of volumeMounts) {
        if (!volumes.some((volume) => volume.name === mount.name)) {
          wrong.push(`${nameOf(object)}: ${name} mounts ${mount.name}, which is no volume`);
        }
      }
    }
    const account = pod.spec.serviceAccountName;
    if (account && account !== 'default') need('ServiceAccount', account);
  }
  const target = object.spec?.scaleTargetRef;
  if (target) need(target.kind ?? 'Deployment', target.name);
  for (const trigger of object.spec?.triggers ?? []) {
    if (trigger.authenticationRef) need('TriggerAuthentication', trigger.authenticationRef.name);
  }
  for (const { parameter, name } of object.spec?.secretTargetRef ?? []) if (parameter) need('Secret', name);
  if (object.kind === 'Ingress') {
    for (const { http } of object.spec.rules)
      for (const { backend } of http.paths) need('Service', backend.service.name);
  }
  return wrong;
}

/** What selects pods must find some. */
function selections(object, all) {
  const selector =
    object.kind === 'Service'
      ? object.spec.selector
      : ['PodDisruptionBudget', 'Deployment', 'StatefulSet'].includes(object.kind)
        ? object.spec.selector.matchLabels
        : object.kind === 'NetworkPolicy'
          ? object.spec.podSelector.matchLabels
          : undefined;
  if (object.kind === 'ServiceMonitor') {
    const { matchLabels } = object.spec.selector;
    const isFound = all.some((one) => one.kind === 'Service' && matches(matchLabels, one.metadata.labels));
    return isFound ? [] : [`${nameOf(object)} finds no service`];
  }
  if (!selector) return [];
  const isFound = all.some((one) => podOf(one) && matches(selector, podOf(one).metadata.labels));
  return isFound ? [] : [`${nameOf(object)} selects no pod`];
}

/** More consumers than partitions have nothing to do, and a group of a replay is nobody's load. */
function scaling(object, partitions) {
  if (object.kind !== 'ScaledObject') return [];
  const wrong = [];
  if (object.spec.maxReplicaCount > partitions) wrong.push(`${nameOf(object)} passes the partitions`);
  for (const { metadata } of object.spec.triggers) {
    if (/replay/.test(metadata.consumerGroup)) wrong.push(`${nameOf(object)} looks at a replay`);
  }
  return wrong;
}

/**
 * @param {object[]} objects as the chart makes them
 * @param {{given: Set<string>, partitions: number}} outside what is there beside them, `Kind name`
 * @returns {string[]} what is wrong
 */
export function faults(objects, { given, partitions }) {
  const names = objects.map((object) => `${object.apiVersion} ${nameOf(object)}`);
  return [
    ...names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is there twice`),
    ...objects.flatMap((object) => [
      ...podRules(object),
      ...references(object, objects, given),
      ...selections(object, objects),
      ...scaling(object, partitions),
    ]),
  ];
}
