# SPDX-License-Identifier: Apache-2.0
"""A storage service as Amazon's S3 for test_s3.py.

s3_server.py FILE... puts the files into the bucket "shop" and prints one line of JSON: its port, and the keys
of the one user who may read. Every request's signature is checked. It ends with its standard input.
"""

import json
import os
import sys

os.environ.update(AWS_ACCESS_KEY_ID="setup", AWS_SECRET_ACCESS_KEY="setup", AWS_DEFAULT_REGION="eu-west-1")

import boto3
import moto.settings
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
_, port = server.get_host_and_port()
url = f"http://127.0.0.1:{port}"

s3 = boto3.client("s3", endpoint_url=url)
s3.create_bucket(Bucket="shop", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
for path in sys.argv[1:]:
    s3.upload_file(path, "shop", os.path.basename(path))

iam = boto3.client("iam", endpoint_url=url)
iam.create_user(UserName="reader")
policy = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}],
}
iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="reader")["AccessKey"]
moto.settings.INITIAL_NO_AUTH_ACTION_COUNT = 0  # from here on
print(json.dumps({"port": port, "key": key["AccessKeyId"], "secret": key["SecretAccessKey"]}), flush=True)
sys.stdin.read()
server.stop()
