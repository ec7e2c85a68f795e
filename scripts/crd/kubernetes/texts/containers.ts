/** Descriptions of the fields of Kubernetes types for containers. */
import type { TypeTexts } from '../with-texts.ts';

const OBJECT_OPTIONAL =
  'If true, the Pod also starts when the object or its key does not exist. Defaults to false.';

const PROBES: TypeTexts = {
  Probe: {
    exec: 'Command in the container. Exit code 0 is a success.',
    failureThreshold:
      'Number of failures in a row after which the probe has failed. Defaults to 3.',
    grpc: 'gRPC health check of a port.',
    httpGet: 'HTTP request to the container. A status from 200 to 399 is a success.',
    initialDelaySeconds:
      'Time in seconds from the start of the container to the first probe. Defaults to 0.',
    periodSeconds: 'Interval between two probes in seconds. Defaults to 10.',
    successThreshold:
      'Number of successes in a row after a failure, until the probe has succeeded. Defaults to 1; only readiness probes can have more.',
    tcpSocket: 'TCP connection to a port. An established connection is a success.',
    terminationGracePeriodSeconds:
      'Time in seconds that the container has to end after a failed probe. Defaults to that of the Pod. Not for readiness probes.',
    timeoutSeconds: 'Time in seconds after which a probe counts as a failure. Defaults to 1.',
  },
  GRPCAction: {
    port: 'Port of the gRPC server.',
    service: 'Name of the service in the health check request. Defaults to the whole server.',
  },
  ExecAction: {
    command: 'Program and arguments. No shell interprets them.',
  },
  HTTPGetAction: {
    host: 'Host to connect to. Defaults to the IP address of the Pod; set the header Host for another host name.',
    httpHeaders: 'Headers of the request. A name can occur several times.',
    path: 'Path of the URL. Defaults to /.',
    port: 'Number of the port, or its name in ports.',
    scheme: 'HTTP or HTTPS, whose certificate is not verified. Defaults to HTTP.',
  },
  HTTPHeader: {
    name: 'Name of the header.',
    value: 'Value of the header.',
  },
  SleepAction: {
    seconds: 'Time to wait in seconds.',
  },
  TCPSocketAction: {
    host: 'Host to connect to. Defaults to the IP address of the Pod.',
    port: 'Number of the port, or its name in ports.',
  },
  Lifecycle: {
    postStart:
      'Action immediately after the start of the container. If it fails, the container is restarted.',
    preStop:
      'Action before the container gets its stop signal. Its time is part of the grace period of the Pod.',
    stopSignal: 'Signal that stops the container, such as SIGTERM. Defaults to that of the image.',
  },
  LifecycleHandler: {
    exec: 'Command in the container.',
    httpGet: 'HTTP request to the container.',
    sleep: 'Wait for some seconds.',
    tcpSocket: 'Has no effect in current releases of Kubernetes.',
  },
};

const ENVIRONMENT: TypeTexts = {
  EnvVar: {
    name: 'Name of the variable.',
    value:
      'Value of the variable. $(NAME) is replaced by the variable NAME, $$ by $. Defaults to an empty text. Users who can read this object see it; use valueFrom for secrets.',
    valueFrom:
      'Source of the value, instead of value. A change of the source does not change running Pods.',
  },
  EnvVarSource: {
    configMapKeyRef: 'Key of a ConfigMap in the namespace of the Pod.',
    fieldRef: 'Field of the Pod.',
    fileKeyRef: 'Variable in a file of an emptyDir volume, which an init container has written.',
    resourceFieldRef: 'Resource request or limit of a container.',
    secretKeyRef: 'Key of a Secret in the namespace of the Pod.',
  },
  ConfigMapKeySelector: {
    key: 'Key in the ConfigMap.',
    name: 'Name of the ConfigMap.',
    optional: OBJECT_OPTIONAL,
  },
  SecretKeySelector: {
    key: 'Key in the Secret.',
    name: 'Name of the Secret.',
    optional: OBJECT_OPTIONAL,
  },
  ObjectFieldSelector: {
    apiVersion: 'Version of the Pod API in which fieldPath is written. Defaults to v1.',
    fieldPath:
      "Field, such as metadata.name, metadata.labels['KEY'], spec.nodeName or status.podIP.",
  },
  FileKeySelector: {
    key: 'Name of the variable in the file.',
    optional:
      'If true, the container also starts when the file or the variable does not exist. Defaults to false.',
    path: 'Path of the file in the volume.',
    volumeName: 'Name of the emptyDir volume.',
  },
  ResourceFieldSelector: {
    containerName:
      'Name of the container. Required in volumes; in variables it defaults to the container itself.',
    divisor: 'Unit of the result, such as 1Mi or 1m. Defaults to 1.',
    resource: 'Resource, such as limits.cpu or requests.memory.',
  },
  EnvFromSource: {
    configMapRef: 'ConfigMap whose entries become variables.',
    prefix: 'Text before each name, such as APP_.',
    secretRef: 'Secret whose entries become variables.',
  },
  ConfigMapEnvSource: {
    name: 'Name of the ConfigMap in the namespace of the Pod.',
    optional: OBJECT_OPTIONAL,
  },
  SecretEnvSource: {
    name: 'Name of the Secret in the namespace of the Pod.',
    optional: OBJECT_OPTIONAL,
  },
};

const RESOURCES: TypeTexts = {
  ResourceRequirements: {
    claims: 'Must be empty: the Pods have no ResourceClaims.',
    limits:
      'Largest amounts by resource, such as cpu: 500m and memory: 1Gi. Above the limit, the CPU is throttled, and a container that needs more memory is ended.',
    requests:
      'Amounts that the scheduler reserves on the node. Defaults to the limits, if these are set.',
  },
  ResourceClaim: {
    name: 'Name of an entry in the resource claims of the Pod.',
    request: 'Request in the claim. Defaults to all of its requests.',
  },
  ContainerResizePolicy: {
    resourceName: 'Resource to which the policy applies: cpu or memory.',
    restartPolicy:
      'NotRequired: resize while the container runs. RestartContainer: restart it. Defaults to NotRequired.',
  },
};

export const CONTAINER_TEXTS: TypeTexts = {
  ...PROBES,
  ...ENVIRONMENT,
  ...RESOURCES,
  Container: {
    args: 'Arguments of the program. $(NAME) is replaced by an environment variable. Defaults to the command of the image.',
    command:
      'Program with its first arguments. No shell interprets it. Defaults to the entry point of the image.',
    env: 'Environment variables. They take precedence over those of envFrom.',
    envFrom:
      'ConfigMaps and Secrets whose entries become environment variables. Later ones take precedence.',
    image: 'Image with registry, and tag or digest.',
    imagePullPolicy:
      'Always, IfNotPresent or Never. Defaults to Always for the tag latest and for no tag, otherwise to IfNotPresent.',
    lifecycle: 'Actions after the start and before the end of the container.',
    livenessProbe: 'Check after whose failure the container is restarted.',
    name: 'Name of the container, unique in the Pod.',
    ports:
      'Ports on which the container listens. Informative: ports that are not listed are reachable too.',
    readinessProbe: 'Check during whose failure Services send no requests to the Pod.',
    resizePolicy: 'Whether a change of resources restarts the container, by resource.',
    resources: 'Requests and limits of CPU, memory and other resources.',
    restartPolicy:
      'When the container is restarted: Always, OnFailure or Never. Defaults to that of the Pod, which is Always.',
    restartPolicyRules:
      'Rules by exit code that take precedence over restartPolicy; the first match applies.',
    securityContext: 'Privileges, user and groups of the container.',
    startupProbe:
      'Check that must succeed before the other probes start. After its failure the container is restarted.',
    stdin: 'If true, the container has an open standard input. Defaults to false.',
    stdinOnce:
      'If true, the standard input ends with the first client that detaches. Defaults to false.',
    terminationMessagePath:
      'File in the container whose content becomes the termination message. Defaults to /dev/termination-log.',
    terminationMessagePolicy:
      'File: only that file. FallbackToLogsOnError: the end of the log if the file is empty and the container failed. Defaults to File.',
    tty: 'If true, the container has a terminal; requires stdin. Defaults to false.',
    volumeDevices: 'Block devices in the container, from volumes of mode Block.',
    volumeMounts: 'Volumes in the file system of the container.',
    workingDir: 'Working directory. Defaults to that of the image.',
  },
  ContainerPort: {
    containerPort: 'Port in the network of the Pod, from 1 to 65535.',
    hostIP: 'Address of the node for hostPort. Defaults to all addresses.',
    hostPort:
      'Port of the node that leads to this port. Only one Pod on a node can have it. Defaults to none.',
    name: 'Name for probes and Services, at most 15 characters.',
    protocol: 'TCP, UDP or SCTP.',
  },
  ContainerRestartRule: {
    action: 'Action if the rule applies; only Restart.',
    exitCodes: 'Exit codes to which the rule applies.',
  },
  ContainerRestartRuleOnExitCodes: {
    operator: 'In: the exit code is one of values. NotIn: it is none of them.',
    values: 'Exit codes, from 0 to 255.',
  },
  VolumeDevice: {
    devicePath: 'Path of the device in the container.',
    name: 'Name of a volume of the Pod with a PersistentVolumeClaim of mode Block.',
  },
  VolumeMount: {
    mountPath: 'Path in the container. It cannot contain a colon.',
    mountPropagation:
      'Whether mounts are passed between node and container: None, HostToContainer, or Bidirectional for privileged containers. Defaults to None.',
    name: 'Name of a volume of the Pod.',
    readOnly: 'If true, the container cannot write to the volume. Defaults to false.',
    recursiveReadOnly:
      'Whether mounts below a read-only mount are read-only too: Disabled, IfPossible or Enabled. Defaults to Disabled.',
    subPath:
      'Path in the volume to mount instead of its root. Later changes of a ConfigMap or Secret do not appear in it.',
    subPathExpr:
      'Like subPath, with environment variables as $(NAME). Mutually exclusive with subPath.',
  },
};
